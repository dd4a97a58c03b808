const { exec } = require('child_process');

const commands = new Map([['a', 'ls'], ['b', 'pwd']]);
exec(commands.get(process.argv[2])); // ok: command-injection
