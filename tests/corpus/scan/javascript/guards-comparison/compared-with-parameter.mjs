import { execSync } from 'node:child_process';

const settings = { shell: process.env.SHELL_NAME }; // source: env

// Equal to a setting of the same origin, which is no constant.
function open(name, expected) {
  if (name === expected) {
    execSync(name + ' --login'); // sink: command-injection env
  }
}

open(settings.shell, process.env.SHELL_NAME);
