import { execSync } from 'child_process';

// The anchors belong to the alternatives: `/^ab|cd$/`.
const KIND = /^lib|app$/;

export class Generator {
  constructor(private readonly kind: string) {
    if (!KIND.test(kind)) throw new Error('kind');
  }

  generate(): void {
    execSync(`ng generate ${this.kind}`); // sink: command-injection argv
  }
}

new Generator(process.argv[2]).generate(); // source: argv
