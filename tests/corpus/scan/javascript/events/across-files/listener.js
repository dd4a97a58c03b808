const { exec } = require('child_process');
const bus = require('./bus');

bus.addListener('run', (command) => exec(command)); // sink: command-injection argv
