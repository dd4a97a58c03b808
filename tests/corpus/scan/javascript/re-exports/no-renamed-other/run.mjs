import { exec } from 'child_process';

export const run = (command) => exec(command); // ok: command-injection
export const size = (text) => text.length;
