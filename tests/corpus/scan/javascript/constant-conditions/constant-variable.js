const { exec } = require('child_process');

const DEBUG = 1;
const command = DEBUG ? process.argv[2] : 'ls'; // source: argv
exec(command); // sink: command-injection argv
