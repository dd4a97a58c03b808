const { exec } = require('child_process');
const lookup = { ls: 'ls', pwd: 'pwd' };
const command = lookup[process.argv[2]];
exec(command); // ok: command-injection
