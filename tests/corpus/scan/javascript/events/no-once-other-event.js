const { once, EventEmitter } = require('events');
const { exec } = require('child_process');

const emitter = new EventEmitter();

async function run() {
  const [command] = await once(emitter, 'command');
  exec(command); // ok: command-injection
}

run();
emitter.on('other', (text) => console.info(text.length));
emitter.emit('other', process.argv[2]);
emitter.emit('command', 'ls');
