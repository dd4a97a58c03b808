const { exec } = require('child_process');

const options = {};
exec(options.command ?? process.argv[2]); // source: argv // sink: command-injection argv
