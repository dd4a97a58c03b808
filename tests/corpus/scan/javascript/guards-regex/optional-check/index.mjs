import { execSync } from 'node:child_process';
import { check } from './check.mjs';

const name = check(process.argv[2], process.argv[3] === 'strict'); // source: argv
execSync(`ls ${name}`); // sink: command-injection argv
