const { commands } = require('./commands');
const { exec } = require('child_process');

commands(process.argv).forEach((command) => exec(command)); // source: argv // sink: command-injection argv
