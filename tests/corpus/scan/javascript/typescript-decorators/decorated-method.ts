import { exec } from 'child_process';

function traced(target: object, name: string): void {}

class Shell {
  @traced
  run(command: string): void {
    exec(command); // sink: command-injection argv
  }
}

new Shell().run(process.argv[2]); // source: argv
