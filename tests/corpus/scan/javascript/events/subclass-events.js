const EventEmitter = require('events');
const { exec } = require('child_process');

class Bus extends EventEmitter {
  start(text) {
    this.emit('run', text);
    this.emit('done', 'ls');
  }
}

const bus = new Bus();
bus.on('run', (command) => exec(command)); // sink: command-injection argv
bus.on('done', (command) => exec(command)); // ok: command-injection
bus.start(process.argv[2]); // source: argv
