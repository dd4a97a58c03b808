import * as cp from 'node:child_process';

export const run = (command) => cp.exec(command); // sink: command-injection argv
