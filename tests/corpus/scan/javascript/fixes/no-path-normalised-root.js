const fs = require('fs');
const http = require('http');
const path = require('path');

http.createServer((req, res) => {
  const safe = path.normalize('/' + req.url);
  fs.createReadStream(path.join('/srv', safe)).pipe(res); // ok: path-traversal
}).listen(80);
