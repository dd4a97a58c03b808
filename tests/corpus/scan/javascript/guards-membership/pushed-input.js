const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
allowed.push(process.argv[3]);

const command = process.argv[2]; // source: argv
if (!allowed.includes(command)) throw new Error('no');
exec(command); // sink: command-injection argv
