const { exec } = require('child_process');

const first = { command: 'ls' };
const second = { ...first };
second.command = process.argv[2];
exec(first.command); // ok: command-injection
