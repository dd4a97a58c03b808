const { exec } = require('child_process');
const { configure } = require('./configure');

const config = { command: 'ls' };
configure(config, process.argv[2]);
exec(config.command); // ok: command-injection
