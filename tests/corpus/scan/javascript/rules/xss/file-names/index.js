const http = require('http');
const fs = require('fs');
const { page } = require('./page');

http.createServer((req, res) => {
  fs.readdir('public', (error, files) => { // source: names
    if (error) throw error;
    res.setHeader('Content-Type', 'text/html');
    res.end(page(files)); // sink: xss names
  });
}).listen(8080);
