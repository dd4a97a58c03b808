const http = require('http');
const { Writable, Transform, pipeline } = require('stream');
const { exec } = require('child_process');

function lines() {
  return new Transform({
    transform(chunk, encoding, callback) {
      callback(null, String(chunk).trim());
    },
  });
}

const runner = new Writable({
  write(chunk, encoding, callback) {
    exec(String(chunk)); // sink: command-injection body
    callback();
  },
});

http.createServer((req, res) => {
  pipeline(req, lines(), runner, () => res.end()); // source: body
}).listen(8080);
