const { exec } = require('child_process');

const task = { command: 'ls' };
Object.defineProperty(task, 'title', { value: process.argv[2] });
exec(task.command); // ok: command-injection
