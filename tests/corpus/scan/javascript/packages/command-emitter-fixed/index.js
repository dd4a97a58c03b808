// scan: sources=library
const EventEmitter = require('events');
const { execFileSync } = require('child_process');

class Queue extends EventEmitter {
  constructor() {
    super();
    this.on('job', (job) => this.process(job));
  }

  add(name, options) {
    this.emit('job', { name, options });
  }

  process({ name }) {
    const out = execFileSync('docker', ['inspect', name]);
    this.emit('done', out.toString());
  }
}

module.exports = new Queue();
