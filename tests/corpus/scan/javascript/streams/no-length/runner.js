const { Writable } = require('stream');
const { exec } = require('child_process');

exports.runner = () =>
  new Writable({
    write(chunk, encoding, done) {
      exec('head -c ' + chunk.length); // ok: command-injection
      done();
    },
  });
