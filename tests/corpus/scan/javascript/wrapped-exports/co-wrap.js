// scan: sources=library
const co = require('co');
const { exec } = require('child_process');

const find = co.wrap(function* (name) {
  return yield Promise.resolve('find ' + name);
});

exports.run = co.wrap(function* (name) { // source: name
  const command = yield find(name);
  exec(command); // sink: command-injection name
});
