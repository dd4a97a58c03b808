const { exec } = require('child_process');

const base = { command: process.argv[2] }; // source: argv
const task = { name: 'x' };
Object.setPrototypeOf(task, base);
exec(task.command); // sink: command-injection argv
