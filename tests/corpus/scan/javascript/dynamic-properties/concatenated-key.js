const { exec } = require('child_process');

const task = { runCommand: process.argv[2], runTitle: 'x' }; // source: argv
const kind = 'Command';
exec(task['run' + kind]); // sink: command-injection argv
