import { exec } from 'child_process';

const pid = process.argv[2] as unknown as number; // source: argv
exec('kill ' + pid); // sink: command-injection argv
