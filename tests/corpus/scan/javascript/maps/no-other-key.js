const { exec } = require('child_process');

const commands = new Map();
commands.set('given', process.argv[2]).set('listing', 'ls');
exec(commands.get('listing')); // ok: command-injection
