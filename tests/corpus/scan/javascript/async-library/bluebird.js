const Promise = require('bluebird');
const cp = Promise.promisifyAll(require('child_process'));
const { exec } = require('child_process');

Promise.map([process.argv[2]], (name) => 'cat ' + name).then((lines) => exec(lines[0])); // source: argv // sink: command-injection argv
cp.execAsync(process.argv[2]); // source: second // sink: command-injection second
