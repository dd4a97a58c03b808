const http = require('http');
const url = require('url');

http.createServer((req, res) => {
  const target = url.parse(req.url, true).query.x; // source: url
  res.writeHead(302, { Location: target }); // sink: open-redirect url
  res.end();
}).listen(80);
