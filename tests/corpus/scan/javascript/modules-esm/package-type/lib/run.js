import { exec } from 'child_process';

export const run = (command) => exec(command); // sink: command-injection argv
