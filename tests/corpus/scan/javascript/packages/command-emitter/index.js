// scan: sources=library
const EventEmitter = require('events');
const { execSync } = require('child_process');

class Queue extends EventEmitter {
  constructor() {
    super();
    this.on('job', (job) => this.process(job));
  }

  add(name, options) { // source: a
    this.emit('job', { name, options });
  }

  process({ name }) {
    const out = execSync(`docker inspect ${name}`); // sink: command-injection a
    this.emit('done', out.toString());
  }
}

module.exports = new Queue();
