const { exec } = require('child_process');

const [first, ...others] = ['ls', process.argv[2]]; // source: argv
exec(others[0]); // sink: command-injection argv
