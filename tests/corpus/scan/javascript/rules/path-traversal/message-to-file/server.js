const { WebSocketServer } = require('ws');
const { saveDraft } = require('./drafts');

const server = new WebSocketServer({ port: 8080 });
server.on('connection', (socket) => {
  socket.on('message', (data) => { // source: message
    const { name, text } = JSON.parse(data);
    saveDraft(name, text);
  });
});
