const { exec } = require('child_process');

const line = 'ls DIR'.replace('DIR', () => process.argv[2]); // source: argv
exec(line); // sink: command-injection argv
