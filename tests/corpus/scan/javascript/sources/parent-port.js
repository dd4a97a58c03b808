const { parentPort } = require('worker_threads');

parentPort.on('message', (message) => { // source: message
  eval(message.code); // sink: code-injection message
});
