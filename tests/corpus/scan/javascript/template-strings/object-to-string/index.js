const { exec } = require('child_process');
const { Command } = require('./command');

const command = new Command('ls').add(process.argv[2]); // source: argv
exec(`${command}`); // sink: command-injection argv
