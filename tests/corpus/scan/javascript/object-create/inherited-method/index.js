const proto = require('./proto');

const task = Object.create(proto);
task.command = process.argv[2]; // source: argv
task.start();
