const fs = require('fs');
const http = require('http');
const path = require('path');
const { within } = require('./within');

const root = path.resolve('data');
http.createServer((req, res) => {
  fs.createReadStream(within(root, req.url)).pipe(res); // ok: path-traversal
}).listen(80);
