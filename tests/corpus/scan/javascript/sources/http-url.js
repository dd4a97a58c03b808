const http = require('http');
const { exec } = require('child_process');

const server = http.createServer();
server.on('request', (req, res) => {
  const target = new URL(req.url, 'http://localhost').searchParams.get('x'); // source: url
  exec('ls ' + target); // sink: command-injection url
  res.end();
});
