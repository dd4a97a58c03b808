import { exec } from 'child_process';
import { fixed } from './commands.mjs';

exec(fixed); // ok: command-injection
