var restify = require('restify');
var fs = require('fs');

var server = restify.createServer({ name: 'files' });

server.get('/file/:name', function (req, res, next) {
  var file = './public/' + req.params.name; // source: a
  fs.readFile(file, 'utf8', function (err, data) { // sink: path-traversal a
    if (err) return next(err);
    res.end(data);
    next();
  });
});

server.listen(8080);
