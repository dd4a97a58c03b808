// scan: sources=library
const limited = require('limited-calls');
const { exec } = require('child_process');

const run = limited(function (command) {
  exec(command); // sink: command-injection name
});

exports.list = function (name) { // source: name
  run('ls ' + name);
};
