// scan: sources=library
var fs = require('fs');
var join = require('path').join;

module.exports = function (root, options) {
  options = options || {};
  return function staticFiles(req, res, next) {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    var name = req.url.split('?')[0];
    var file = join(root, decodeURI(name));
    if (options.cache && options.cache[file]) return res.end(options.cache[file]);
    fs.readFile(file, function (err, buf) { // sink: path-traversal
      if (err) return next(err.code === 'ENOENT' ? null : err);
      res.end(buf);
    });
  };
};
