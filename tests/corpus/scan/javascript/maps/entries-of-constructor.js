const { exec } = require('child_process');

const commands = new Map([['given', process.argv[2]]]); // source: argv
exec(commands.get('given')); // sink: command-injection argv
