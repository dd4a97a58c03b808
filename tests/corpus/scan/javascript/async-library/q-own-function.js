// scan: sources=library
const Q = require('q');
const { exec } = require('child_process');

function find(name, done) {
  done(null, 'find ' + name);
}

exports.find = function (name) { // source: name
  return Q.nfcall(find, name).then(function (command) {
    exec(command); // sink: command-injection name
  });
};
