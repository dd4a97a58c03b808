import { exec } from 'child_process';
import { command, configure } from './state.mjs';

configure(process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
