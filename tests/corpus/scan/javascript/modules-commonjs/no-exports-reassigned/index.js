const { exec } = require('child_process');
const input = require('./input');

exec(input.command); // ok: command-injection
