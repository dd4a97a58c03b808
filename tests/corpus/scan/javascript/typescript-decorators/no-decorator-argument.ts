import { exec } from 'child_process';

const named = (title: string) => (target: object, name: string) => {};

class Shell {
  @named(process.argv[2])
  run(command: string): void {
    exec(command); // ok: command-injection
  }
}

new Shell().run('ls');
