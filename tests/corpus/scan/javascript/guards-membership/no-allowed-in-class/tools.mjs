import { execSync } from 'node:child_process';

const ALLOWED = new Set(['git', 'make']);

export class Tools {
  isAllowed(name) {
    return ALLOWED.has(name);
  }

  run(name) {
    if (!this.isAllowed(name)) throw new Error('tool');
    execSync(`${name} --version`); // ok: command-injection
  }
}
