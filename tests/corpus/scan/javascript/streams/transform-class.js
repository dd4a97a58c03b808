const { exec } = require('child_process');
const { Transform } = require('stream');

class Lines extends Transform {
  _transform(chunk, encoding, callback) {
    this.push(String(chunk).trim());
    callback();
  }
}

process.stdin.pipe(new Lines()).on('data', (line) => { // source: stdin
  exec(line); // sink: command-injection stdin
});
