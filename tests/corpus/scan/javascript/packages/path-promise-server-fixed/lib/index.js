'use strict';
const http = require('http');
const { promises: fs } = require('fs');
const path = require('path');

const mime = { '.html': 'text/html', '.css': 'text/css' };

async function respond(root, pathname, response) {
  let filename = path.join(root, pathname);
  if (!filename.startsWith(path.join(root, path.sep))) {
    throw new Error('outside of the root');
  }
  const stats = await fs.stat(filename);
  if (stats.isDirectory()) {
    filename = path.join(filename, 'index.html');
  }
  const content = await fs.readFile(filename);
  response.setHeader('content-type', mime[path.extname(filename)] || 'application/octet-stream');
  response.end(content);
}

module.exports = ({ root = 'public', port = 8080 } = {}) =>
  http
    .createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      respond(root, decodeURIComponent(pathname), response).catch(() => {
        response.statusCode = 404;
        response.end();
      });
    })
    .listen(port);
