const start = require('./start');

const task = { command: process.argv[2], start }; // source: argv
task.start();
