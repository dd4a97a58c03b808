// scan: sources=library
const { spawn } = require('child_process');

module.exports = (name) => spawn('git', ['clone', name], { shell: true }); // source: name // sink: command-injection name
