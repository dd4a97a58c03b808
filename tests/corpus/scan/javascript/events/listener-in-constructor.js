const { exec } = require('child_process');

const { EventEmitter } = require('events');
class Bus extends EventEmitter {
  constructor() { super(); this.on('x', (v) => exec(v)); } // sink: command-injection argv
}
const bus = new Bus();
bus.emit('x', process.argv[2]); // source: argv
bus.emit('y', process.argv[3]);
