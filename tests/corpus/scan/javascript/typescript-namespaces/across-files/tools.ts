import { exec } from 'child_process';

export namespace Tools {
  export namespace Shell {
    export const run = (command: string) => exec(command); // sink: command-injection argv
  }
}
