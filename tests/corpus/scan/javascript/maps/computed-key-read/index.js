const { exec } = require('child_process');
const { find } = require('./find');

const commands = new Map();
commands.set('given', process.argv[2]); // source: argv
exec(find(commands, process.platform)); // sink: command-injection argv
