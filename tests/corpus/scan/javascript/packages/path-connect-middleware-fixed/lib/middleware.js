var fs = require('fs');
var join = require('path').join;

module.exports = function (root, options) {
  options = options || {};
  return function staticFiles(req, res, next) {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    var name = decodeURI(req.url.split('?')[0]);
    if (name.indexOf('..') !== -1) {
      res.statusCode = 403;
      return res.end('Forbidden');
    }
    var file = join(root, name);
    if (options.cache && options.cache[file]) return res.end(options.cache[file]);
    fs.readFile(file, function (err, buf) {
      if (err) return next(err.code === 'ENOENT' ? null : err);
      res.end(buf);
    });
  };
};
