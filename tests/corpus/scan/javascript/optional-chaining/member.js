const { exec } = require('child_process');

const options = { shell: { command: process.argv[2] } }; // source: argv
exec(options?.shell?.command); // sink: command-injection argv
