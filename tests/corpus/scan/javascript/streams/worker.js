const { exec } = require('child_process');
const { parentPort, workerData } = require('worker_threads');

parentPort.on('message', (message) => { // source: message
  exec(message.command); // sink: command-injection message
});
