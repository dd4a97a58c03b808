const http = require('http');
const fs = require('fs');
const path = require('path');
const { parse } = require('url');

class StaticServer {
  constructor(dir, { index = 'index.html' } = {}) {
    this.dir = dir;
    this.index = index;
    this.server = http.createServer(this.handle.bind(this));
  }

  handle(req, res) {
    let { pathname } = parse(req.url);
    if (pathname.endsWith('/')) pathname += this.index;
    const file = path.resolve(this.dir, '.' + pathname);
    if (!file.startsWith(path.resolve(this.dir) + path.sep)) {
      return this.fail(res, 403);
    }
    this.send(res, file);
  }

  send(res, file) {
    fs.stat(file, (err, stat) => {
      if (err) return this.fail(res, 404);
      res.setHeader('Content-Length', stat.size);
      fs.createReadStream(file).pipe(res);
    });
  }

  fail(res, code) {
    res.statusCode = code;
    res.end();
  }

  listen(...args) {
    this.server.listen(...args);
  }
}

module.exports = StaticServer;
