import { exec } from 'child_process';
import command from './command.mjs';

exec(command); // sink: command-injection argv
