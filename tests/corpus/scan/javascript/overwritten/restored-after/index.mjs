import { execSync } from 'node:child_process';
import { quietly } from './quietly.mjs';

const job = { command: process.argv[2] }; // source: argv
quietly(job, () => execSync('true'));
execSync(job.command); // sink: command-injection argv
