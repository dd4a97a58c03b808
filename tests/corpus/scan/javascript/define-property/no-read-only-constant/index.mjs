import { execSync } from 'node:child_process';
import { constant } from './constant.mjs';

const options = { title: process.argv[2] };
constant(options, 'tool', 'git');
execSync(`${options.tool} status`); // ok: command-injection
