import { exec } from 'child_process';
import { lines } from './lines.mjs';

for (const line of lines(process.argv[2])) exec(line); // source: argv // sink: command-injection argv
