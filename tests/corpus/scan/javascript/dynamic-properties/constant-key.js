const { exec } = require('child_process');

const task = {};
task['command'] = process.argv[2]; // source: argv
exec(task.command); // sink: command-injection argv
