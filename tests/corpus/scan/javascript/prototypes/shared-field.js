const { exec } = require('child_process');

function Task() {}
Task.prototype.command = process.argv[2]; // source: argv

exec(new Task().command); // sink: command-injection argv
