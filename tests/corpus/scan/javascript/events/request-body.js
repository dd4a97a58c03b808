const { exec } = require('child_process');
const http = require('http');
http.createServer(function handler(req, res) {
  let body = '';
  req.on('data', (chunk) => { body += chunk; }); // source: request
  req.on('end', () => exec(body)); // sink: command-injection request
}).listen(1);
