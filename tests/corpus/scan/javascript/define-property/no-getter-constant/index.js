const { exec } = require('child_process');
const task = require('./task');

exec(task.command); // ok: command-injection
