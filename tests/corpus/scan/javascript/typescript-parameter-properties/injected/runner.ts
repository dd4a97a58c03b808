import type { Shell } from './shell';

export class Runner {
  constructor(private shell: Shell) {}
  start(text: string): void {
    this.shell.run(text);
  }
}
