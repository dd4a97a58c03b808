import { exec } from 'child_process';
import { command } from './lib.mjs';

exec(command); // sink: command-injection argv
