const { exec } = require('child_process');

const base = { command: process.argv[2] };
const options = { ...base, command: 'ls' };
exec(options.command); // ok: command-injection
