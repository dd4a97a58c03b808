const { exec } = require('child_process');

let command = 'ls';
exec(command); // ok: command-injection
command = process.argv[2];
module.exports = command;
