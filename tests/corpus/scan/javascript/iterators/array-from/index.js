const { exec } = require('child_process');
const { commands } = require('./commands');

Array.from(commands(), (text) => 'ls ' + text).forEach((line) => exec(line)); // sink: command-injection argv
