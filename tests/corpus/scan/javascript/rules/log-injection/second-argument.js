const http = require('http');

http.createServer((req, res) => {
  const path = decodeURIComponent(req.url); // source: url
  console.info('GET', path); // sink: log-injection url
  res.end();
}).listen(80);
