const http = require('http');
const fs = require('fs');
const { page } = require('./page');

http.createServer((req, res) => {
  const files = fs.readdirSync('public');
  res.setHeader('Content-Type', 'text/html');
  res.end(page(files)); // ok: xss
}).listen(8080);
