const { exec } = require('child_process');

const { command } = JSON.parse(process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
