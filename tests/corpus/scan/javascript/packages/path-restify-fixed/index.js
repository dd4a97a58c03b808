var restify = require('restify');
var fs = require('fs');
var path = require('path');

var server = restify.createServer({ name: 'files' });

server.get('/file/:name', function (req, res, next) {
  var file = './public/' + path.basename(req.params.name);
  fs.readFile(file, 'utf8', function (err, data) {
    if (err) return next(err);
    res.end(data);
    next();
  });
});

server.listen(8080);
