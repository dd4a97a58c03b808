import { exec } from 'child_process';

export const execute = (command) => exec(command); // sink: command-injection argv
