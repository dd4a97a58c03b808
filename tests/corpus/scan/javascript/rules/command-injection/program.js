const { execFile } = require('child_process');

const input = process.argv[2]; // source: argv
execFile(input, ['--version']); // sink: command-injection argv
