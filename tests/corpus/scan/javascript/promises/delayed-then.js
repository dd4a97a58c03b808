const { exec } = require('child_process');
const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
sleep(5, process.argv[2]).then(exec); // source: argv // sink: command-injection argv
