const { Task } = require('./task');

const task = new Task('list', process.argv[2]); // source: argv
task.start();
