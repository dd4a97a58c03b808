const start = require('./start');

const task = { command: 'ls', title: process.argv[2], start };
task.start();
