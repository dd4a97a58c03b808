#!/usr/bin/env node
var http = require('http'),
    fs = require('fs'),
    path = require('path'),
    port = process.argv[2] || 8080;

http.createServer(function (request, response) {
  var file = process.cwd() + request.url; // source: a
  if (file.slice(-1) === '/') file += 'index.html';
  fs.readFile(file, function (error, content) { // sink: path-traversal
    if (error) {
      response.writeHead(404);
      response.end();
    } else {
      response.writeHead(200);
      response.end(content, 'utf-8');
    }
  });
}).listen(parseInt(port, 10));
