const http = require('http');
const fs = require('fs');

http.createServer((req, res) => {
  const file = __dirname + req.url; // source: url
  fs.createReadStream(file).pipe(res); // sink: path-traversal url
}).listen(8080);
