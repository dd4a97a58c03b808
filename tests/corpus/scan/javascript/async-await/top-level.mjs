import { exec } from 'child_process';

const command = await Promise.resolve(process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
