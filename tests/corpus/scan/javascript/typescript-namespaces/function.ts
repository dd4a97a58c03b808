import { exec } from 'child_process';

namespace Shell {
  export function run(command: string): void {
    exec(command); // sink: command-injection argv
  }
}

Shell.run(process.argv[2]); // source: argv
