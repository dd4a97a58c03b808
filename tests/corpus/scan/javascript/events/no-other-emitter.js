const { EventEmitter } = require('events');
const { exec } = require('child_process');

const shell = new EventEmitter();
const log = new EventEmitter();
shell.on('line', (command) => exec(command)); // ok: command-injection
log.on('line', (text) => text.length);
log.emit('line', process.argv[2]);
shell.emit('line', 'ls');
