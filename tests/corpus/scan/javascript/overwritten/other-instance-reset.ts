import { execSync } from 'child_process';

class Builder {
  private line = 'make';

  add(word: string): this {
    this.line += ' ' + word;
    return this;
  }

  reset(): this {
    this.line = 'make';
    return this;
  }

  run(): void {
    execSync(this.line); // sink: command-injection argv
  }
}

const first = new Builder().add(process.argv[2]); // source: argv
new Builder().reset().run();
first.run();
