const { EventEmitter } = require('events');
const { exec } = require('child_process');

const bus = new EventEmitter();
function listen(name, listener) {
  bus.once(name, listener);
}
listen('run', (command) => exec(command)); // sink: command-injection argv
bus.emit('run', process.argv[2]); // source: argv
