const { exec } = require('child_process');

const { command, ...rest } = { command: process.argv[2], other: 'ls' };
exec(rest.other); // ok: command-injection
module.exports = command;
