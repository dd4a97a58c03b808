const net = require('net');
const fs = require('fs');

const server = net.createServer((socket) => {
  socket.on('data', (data) => { // source: a
    const line = data.toString().split('\r\n')[0];
    const file = line.split(' ')[1];
    fs.readFile('./www' + file, (err, content) => { // sink: path-traversal a
      if (err) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.end(content);
    });
  });
});

server.listen(8080);
