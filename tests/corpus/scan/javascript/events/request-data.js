const http = require('http');
const { exec } = require('child_process');

http.createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => { // source: body
    body += chunk;
  });
  req.on('end', () => {
    exec(body); // sink: command-injection body
    res.end();
  });
}).listen(80);
