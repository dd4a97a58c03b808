const fs = require('fs');
const http = require('http');
const path = require('path');

http.createServer((req, res) => {
  if (req.url.indexOf('..') >= 0) {
    res.statusCode = 403;
    return res.end();
  }
  fs.createReadStream(path.join(process.cwd(), req.url)).pipe(res); // ok: path-traversal
}).listen(80);
