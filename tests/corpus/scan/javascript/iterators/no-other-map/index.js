const { exec } = require('child_process');
const { table } = require('./table');

const given = table(process.argv[2]);
const fixed = new Map([['command', 'ls']]);
exec(fixed.get('command')); // ok: command-injection
module.exports = given;
