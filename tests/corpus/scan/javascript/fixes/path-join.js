const fs = require('fs');
const http = require('http');
const path = require('path');

http.createServer((req, res) => {
  const file = path.join(process.cwd(), req.url); // source: url
  fs.createReadStream(file).pipe(res); // sink: path-traversal url
}).listen(80);
