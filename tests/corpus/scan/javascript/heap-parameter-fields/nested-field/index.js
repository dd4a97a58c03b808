const { exec } = require('child_process');
const { configure } = require('./configure');

const config = { shell: {} };
configure(config, process.argv[2]); // source: argv
exec(config.shell.command); // sink: command-injection argv
