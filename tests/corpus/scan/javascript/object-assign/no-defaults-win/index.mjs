import { execSync } from 'node:child_process';
import { resolveOptions } from './options.mjs';

const options = resolveOptions({ label: process.argv[2] });
execSync(`${options.tool} build`); // ok: command-injection
