const { exec } = require('child_process');

let command = process.argv[2];
command = 'ls';
exec(command); // ok: command-injection
