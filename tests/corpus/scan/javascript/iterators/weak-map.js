const { exec } = require('child_process');
const weak = new WeakMap();
const owner = {};
weak.set(owner, process.argv[2]); // source: argv
exec(weak.get(owner)); // sink: command-injection argv
