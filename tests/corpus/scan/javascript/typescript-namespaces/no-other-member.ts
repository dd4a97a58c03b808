import { exec } from 'child_process';

namespace Input {
  export const title = process.argv[2];
  export const command = 'ls';
}

exec(Input.command); // ok: command-injection
