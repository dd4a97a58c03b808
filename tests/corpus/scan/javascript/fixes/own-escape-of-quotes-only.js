// scan: sources=library
const { exec } = require('child_process');

module.exports = (name, done) => exec('git clone "' + name.replace(/"/g, '\\"') + '"', done); // source: name // sink: command-injection name
