const http = require('http');
const { exec } = require('child_process');
const { readBody } = require('./body');

http.createServer(async (req, res) => {
  exec(JSON.parse(await readBody(req)).command); // sink: command-injection chunk
  res.end();
}).listen(8080);
