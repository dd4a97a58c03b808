const { exec } = require('child_process');

const commands = { list: 'ls', where: 'pwd' };
exec(commands[process.argv[2]]); // ok: command-injection
