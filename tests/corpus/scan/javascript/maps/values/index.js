const { exec } = require('child_process');
const { fill } = require('./fill');

const commands = new Map();
fill(commands, process.argv[2]); // source: argv
for (const command of commands.values()) exec(command); // sink: command-injection argv
