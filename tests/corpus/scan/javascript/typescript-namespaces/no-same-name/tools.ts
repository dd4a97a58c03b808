import { exec } from 'child_process';

export namespace Quiet {
  export const run = (text: string) => text.length;
}
export namespace Shell {
  export const run = (command: string) => exec(command); // ok: command-injection
}
