const { exec } = require('child_process');
const task = require('./task');

exec(task.command); // sink: command-injection argv
