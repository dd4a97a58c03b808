const { EventEmitter } = require('events');
const { exec } = require('child_process');

const bus = new EventEmitter();
bus.on('command', (command) => {
  exec(command); // sink: command-injection argv
});
bus.emit('command', process.argv[2]); // source: argv
