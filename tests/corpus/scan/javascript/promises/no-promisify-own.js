const util = require('util');
const { exec } = require('child_process');

function measure(text, callback) {
  process.nextTick(() => callback(null, 'head -n ' + text.length));
}

const measureAsync = util.promisify(measure);
measureAsync(process.argv[2]).then((line) => {
  exec(line); // ok: command-injection
});
