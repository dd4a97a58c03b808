const Queue = require('./queue');

const queue = new Queue();
queue.add({ command: process.argv[2] }); // source: argv
queue.flush();
