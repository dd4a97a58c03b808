const { exec } = require('child_process');
const { Transform } = require('stream');

const count = new Transform({
  transform(chunk, encoding, callback) {
    callback(null, 'ls');
  },
});

count.on('data', (text) => exec(text)); // ok: command-injection
count.write(process.argv[2]);
