const { EventEmitter } = require('events');
const { exec } = require('child_process');

function onCommand({ line }) {
  exec(line); // sink: command-injection argv
}

const bus = new EventEmitter();
bus.prependListener('command', onCommand);
bus.emit('command', { line: process.argv[2] }); // source: argv
