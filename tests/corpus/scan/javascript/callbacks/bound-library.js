const { exec } = require('child_process');

const callback = exec.bind(null, process.argv[2]); // source: argv
setTimeout(callback, 5); // sink: command-injection argv
