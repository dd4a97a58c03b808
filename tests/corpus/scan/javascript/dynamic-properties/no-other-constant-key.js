const { exec } = require('child_process');

const task = {};
task['title'] = process.argv[2];
task['command'] = 'ls';
exec(task['command']); // ok: command-injection
