const http = require('http');
const url = require('url');

http.createServer((req, res) => {
  const pathname = decodeURIComponent(url.parse(req.url).pathname); // source: a
  res.writeHead(404, { 'Content-Type': 'text/html' });
  res.end('<h1>Not found: ' + pathname + '</h1>'); // sink: xss a
}).listen(8000);
