const EventEmitter = require('events');
const { exec } = require('child_process');

const bus = new EventEmitter();
bus.on('run', (command) => exec(command)); // sink: command-injection argv
bus.on('title', (command) => exec(command)); // ok: command-injection
bus.emit('title', 'ls');
bus.emit('run', process.argv[2]); // source: argv
