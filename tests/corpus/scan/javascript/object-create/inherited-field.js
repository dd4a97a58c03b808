const { exec } = require('child_process');

const base = { command: process.argv[2] }; // source: argv
const task = Object.create(base);
exec(task.command); // sink: command-injection argv
