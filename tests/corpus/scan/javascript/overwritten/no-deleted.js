const { exec } = require('child_process');

const task = { command: process.argv[2] };
task.command = undefined;
exec(task.command ?? 'ls'); // ok: command-injection
