import { execSync } from 'child_process';

export class Runner {
  constructor(private readonly line: string) {
    this.tick = this.tick.bind(this);
  }

  tick(count: number): void {
    execSync(`${this.line} ${count}`); // sink: command-injection argv
  }
}
