const http = require('http');

http.createServer((req, res) => {
  res.setHeader('Content-Type', 'text/html');
  const name = decodeURIComponent(req.url); // source: url
  res.end(`<h1>${name}</h1>`); // sink: xss url
}).listen(80);
