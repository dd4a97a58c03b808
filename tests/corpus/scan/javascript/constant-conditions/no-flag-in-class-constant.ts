import { execSync } from 'child_process';

const MODE: 'fixed' | 'free' = 'fixed';

class Builder {
  constructor(private readonly target: string) {}

  command(): string {
    if (MODE === 'fixed') {
      return 'make all';
    }
    return `make ${this.target}`;
  }

  build(): Buffer {
    return execSync(this.command()); // ok: command-injection
  }
}

new Builder(process.argv[2]).build();
