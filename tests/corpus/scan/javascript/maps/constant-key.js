const { exec } = require('child_process');

const commands = new Map();
commands.set('given', process.argv[2]).set('listing', 'ls'); // source: argv
exec(commands.get('given')); // sink: command-injection argv
