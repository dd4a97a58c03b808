const { exec } = require('child_process');

const command = '' || process.argv[2]; // source: argv
exec(command); // sink: command-injection argv
