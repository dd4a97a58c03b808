const http = require('http');
const { Writable, pipeline } = require('stream');
const { exec } = require('child_process');

class Counter extends Writable {
  constructor() {
    super();
    this.size = 0;
  }
  _write(chunk, encoding, callback) {
    this.size += chunk.length;
    callback();
  }
}

http.createServer((req, res) => {
  const counter = new Counter();
  pipeline(req, counter, () => exec('echo ' + counter.size)); // ok: command-injection
  res.end();
}).listen(8080);
