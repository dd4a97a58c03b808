const net = require('net');
const fs = require('fs');
const path = require('path');

const root = path.resolve('./www');
const server = net.createServer((socket) => {
  socket.on('data', (data) => {
    const line = data.toString().split('\r\n')[0];
    const file = path.join(root, line.split(' ')[1]);
    if (!file.startsWith(root + path.sep)) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    fs.readFile(file, (err, content) => {
      if (err) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.end(content);
    });
  });
});

server.listen(8080);
