const { exec } = require('child_process');
const { reset } = require('./reset');

const task = { command: process.argv[2] }; // source: argv
exec(task.command); // sink: command-injection argv
reset(task);
