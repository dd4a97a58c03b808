const fs = require('fs');
const http = require('http');
const path = require('path');

http.createServer((req, res) => {
  const file = path.join(process.cwd(), req.url);
  if (file.indexOf(process.cwd()) !== 0) {
    res.statusCode = 403;
    return res.end();
  }
  fs.createReadStream(file).pipe(res); // ok: path-traversal
}).listen(80);
