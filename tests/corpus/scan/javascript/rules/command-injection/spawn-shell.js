const { spawn } = require('child_process');

const input = process.argv[2]; // source: argv
spawn('ls ' + input, { shell: true }); // sink: command-injection argv
