const EventEmitter = require('events');
const { exec } = require('child_process');

class Reader extends EventEmitter {
  read() {
    this.emit('line', 1, process.argv[2]); // source: argv
  }
}

const reader = new Reader();
reader.once('line', (number, text) => exec(text)); // sink: command-injection argv
reader.read();
