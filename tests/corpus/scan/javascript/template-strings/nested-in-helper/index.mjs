import { execSync } from 'node:child_process';
import { flag } from './flags.mjs';

const words = process.argv.slice(2); // source: argv
execSync(`grep ${words.map((word) => `${flag('e', word)}`).join(' ')} log.txt`); // sink: command-injection argv
