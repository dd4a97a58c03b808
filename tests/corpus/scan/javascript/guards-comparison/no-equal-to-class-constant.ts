import { execSync } from 'child_process';

class Commands {
  static readonly LIST = 'ls';
  static readonly WHERE = 'pwd';

  static isKnown(name: string): boolean {
    return name === Commands.LIST || name === Commands.WHERE;
  }
}

function run(name: string): void {
  if (!Commands.isKnown(name)) throw new Error(`unknown: ${name}`);
  execSync(name); // ok: command-injection
}

run(process.argv[2]);
