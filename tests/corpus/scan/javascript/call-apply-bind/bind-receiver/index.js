const Task = require('./task');

const task = new Task(process.argv[2]); // source: argv
const start = task.start.bind(task);
start();
