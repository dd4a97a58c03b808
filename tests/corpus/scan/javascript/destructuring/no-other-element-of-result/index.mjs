import { execSync } from 'node:child_process';
import { parseArguments } from './arguments.mjs';

const [program, { title }] = parseArguments(process.argv.slice(2));

execSync(`${program} --version`); // ok: command-injection
console.log(title);
