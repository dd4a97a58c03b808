const { exec } = require('child_process');
const bus = require('./bus');

bus.on('run', (title, command) => exec(command)); // ok: command-injection
