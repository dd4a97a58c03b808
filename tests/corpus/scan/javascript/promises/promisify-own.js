const util = require('util');
const { exec } = require('child_process');

function prepare(text, callback) {
  process.nextTick(() => callback(null, 'ls ' + text));
}

const prepareAsync = util.promisify(prepare);
prepareAsync(process.argv[2]).then((line) => { // source: argv
  exec(line); // sink: command-injection argv
});
