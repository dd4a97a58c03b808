const { EventEmitter } = require('events');
const { exec } = require('child_process');

const bus = new EventEmitter();
bus.on('command', (command) => exec(command)); // ok: command-injection
bus.on('title', (title) => title.length);
bus.emit('title', process.argv[2]);
bus.emit('command', 'ls');
