import { exec } from 'child_process';

namespace Input {
  export const command = process.argv[2]; // source: argv
}

exec(Input.command); // sink: command-injection argv
