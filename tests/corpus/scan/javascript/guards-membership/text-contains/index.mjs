import { execSync } from 'node:child_process';
import { isAllowed } from './allowed.mjs';

const folder = process.argv[2]; // source: argv
if (!isAllowed(folder)) process.exit(1);
execSync(`du -s ${folder}`); // sink: command-injection argv
