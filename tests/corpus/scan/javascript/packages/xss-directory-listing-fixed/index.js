const http = require('http');
const url = require('url');

function escapeHtml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

http.createServer((req, res) => {
  const pathname = decodeURIComponent(url.parse(req.url).pathname);
  res.writeHead(404, { 'Content-Type': 'text/html' });
  res.end('<h1>Not found: ' + escapeHtml(pathname) + '</h1>');
}).listen(8000);
