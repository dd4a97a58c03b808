import { execSync } from 'child_process';
import { flatten } from './flatten';

const files = flatten([['a.js'], process.argv.slice(2)]); // source: argv
execSync(`eslint ${files.join(' ')}`); // sink: command-injection argv
