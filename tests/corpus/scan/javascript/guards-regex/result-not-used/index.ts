import { execSync } from 'child_process';
import { validate } from './validate';

const branch = process.argv[2]; // source: argv
const problems = validate(branch);
console.warn(problems.length);
execSync(`git checkout ${branch}`); // sink: command-injection argv
