const { exec } = require('child_process');

Promise.allSettled([Promise.reject(process.argv[2])]).then((results) => { // source: argv
  results.forEach((result) => exec(result.reason)); // sink: command-injection argv
});
