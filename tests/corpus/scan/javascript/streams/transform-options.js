const { exec } = require('child_process');
const { Transform } = require('stream');

const upper = new Transform({
  transform(chunk, encoding, callback) {
    callback(null, chunk.toString().toUpperCase());
  },
});

upper.on('data', (text) => exec(text)); // sink: command-injection argv
upper.write(process.argv[2]); // source: argv
