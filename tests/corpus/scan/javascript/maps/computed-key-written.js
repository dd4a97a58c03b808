const { exec } = require('child_process');

const commands = new Map();
commands.set(process.platform, process.argv[2]); // source: argv
exec(commands.get('linux')); // sink: command-injection argv
