const { exec } = require('child_process');
const { KEY } = require('./keys');

const task = { [KEY]: process.argv[2] }; // source: argv
exec(task.command); // sink: command-injection argv
