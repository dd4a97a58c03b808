const { exec } = require('child_process');

const base = { command: process.argv[2] };
const task = Object.create(base);
task.command = 'ls';
exec(task.command); // ok: command-injection
