const { exec } = require('child_process');

exec('echo ' + Buffer.from(process.argv[2], 'hex').toString()); // source: argv // sink: command-injection argv
