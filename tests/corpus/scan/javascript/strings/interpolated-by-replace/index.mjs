import { execSync } from 'node:child_process';
import { fill } from './fill.mjs';

const line = fill('convert {{source}} {{target}}', { source: process.argv[2], target: 'out.png' }); // source: argv
execSync(line); // sink: command-injection argv
