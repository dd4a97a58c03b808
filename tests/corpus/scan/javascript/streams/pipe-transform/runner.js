const { Writable } = require('stream');
const { exec } = require('child_process');

exports.runner = () =>
  new Writable({
    write(chunk, encoding, done) {
      exec(chunk.toString()); // sink: command-injection argv
      done();
    },
  });
