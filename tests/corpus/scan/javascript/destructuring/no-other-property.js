const { exec } = require('child_process');

const { name, command } = { name: process.argv[2], command: 'ls' };
exec(command); // ok: command-injection
module.exports = name;
