const { exec } = require('child_process');
const commands = require('./commands');

exec(commands[process.argv[2]]); // ok: command-injection
