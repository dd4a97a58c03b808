var http = require('http');
var url = require('url');
var path = require('path');
var fs = require('fs');

var types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

module.exports = function serve(root, port) {
  return http.createServer(function (req, res) { // source: a
    var uri = url.parse(req.url).pathname;
    var filename = path.join(root || process.cwd(), decodeURIComponent(uri));
    fs.exists(filename, function (exists) {
      if (!exists) {
        res.writeHead(404);
        res.end('Not found');
        return;
      }
      if (fs.statSync(filename).isDirectory()) filename += '/index.html';
      fs.readFile(filename, 'binary', function (err, file) { // sink: path-traversal
        if (err) {
          res.writeHead(500);
          return res.end();
        }
        res.writeHead(200, { 'Content-Type': types[path.extname(filename).slice(1)] });
        res.end(file, 'binary');
      });
    });
  }).listen(port);
};
