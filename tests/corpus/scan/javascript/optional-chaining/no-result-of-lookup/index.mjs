import { execSync } from 'node:child_process';
import { toolOf } from './tools.mjs';

execSync(toolOf(process.argv[2])?.line ?? 'true'); // ok: command-injection
