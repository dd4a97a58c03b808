import { exec } from 'child_process';

export class Task {
  #command = 'ls';
  set command(value) {
    this.#command = value;
  }
  start() {
    exec(this.#command); // sink: command-injection argv
  }
}
