import { exec } from 'child_process';

export default (command) => exec(command); // sink: command-injection argv
