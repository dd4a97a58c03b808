var http = require('http');
var fs = require('fs');
var Path = require('path');
var Url = require('url');

var Server = module.exports = function Server(config) {
  this.config = config || {};
  this.root = Path.resolve(this.config.root || '.');
};

Server.prototype = {
  start: function (cb) {
    var me = this;
    me.http = http.createServer(function (req, res) {
      me.onRequest(req, res);
    });
    me.http.listen(me.config.port, cb);
    return me;
  },

  onRequest: function (req, res) {
    var pathname = Url.parse(req.url, true).pathname;
    var file = Path.resolve(this.root + '/' + unescape(pathname));
    if (file.indexOf(this.root) !== 0) return this.error(res, 403);
    if (!fs.existsSync(file)) return this.error(res, 404);
    this.stream(file, res);
  },

  stream: function (file, res) {
    var stream = fs.createReadStream(file);
    stream.on('error', this.error.bind(this, res, 500));
    stream.pipe(res);
  },

  error: function (res, status) {
    res.writeHead(status);
    res.end();
  }
};
