const http = require('http');
const { Transform } = require('stream');
const { exec } = require('child_process');

class Runner extends Transform {
  _transform(chunk, encoding, callback) {
    exec(chunk.toString()); // sink: command-injection body
    callback(null, 'done');
  }
}

http.createServer((req, res) => {
  req.pipe(new Runner()).pipe(res); // source: body
}).listen(8080);
