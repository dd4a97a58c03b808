const { exec } = require('child_process');
const { commandOf } = require('./command');

exec(commandOf(process.argv[2])); // ok: command-injection
