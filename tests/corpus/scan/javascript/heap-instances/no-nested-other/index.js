const Queue = require('./queue');

const queue = new Queue();
queue.add({ title: process.argv[2], command: 'ls' });
queue.flush();
