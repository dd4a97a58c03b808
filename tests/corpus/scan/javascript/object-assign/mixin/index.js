const mixin = require('./mixin');

const task = { command: process.argv[2] }; // source: argv
Object.assign(task, mixin);
task.start();
