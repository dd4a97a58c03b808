const { exec } = require('child_process');
const { Writable } = require('stream');

const sink = new Writable({
  write(chunk, encoding, callback) {
    exec(chunk.toString()); // sink: command-injection stdin
    callback();
  },
});
process.stdin.pipe(sink); // source: stdin
