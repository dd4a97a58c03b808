const { exec } = require('child_process');

const commands = ['ls', 'pwd'];
exec(commands[Number(process.argv[2])]); // ok: command-injection
exec(commands[process.argv[2]]); // ok: command-injection
