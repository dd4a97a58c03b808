const { Task } = require('./task');

const task = new Task(process.argv[2], 'ls');
task.start();
