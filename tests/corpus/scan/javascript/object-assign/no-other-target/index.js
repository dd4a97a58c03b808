const { exec } = require('child_process');
const merge = require('./merge');

const first = merge({ command: process.argv[2] });
const second = merge({ command: 'ls' });
exec(second.command); // ok: command-injection
module.exports = first;
