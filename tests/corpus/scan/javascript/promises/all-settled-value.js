const { exec } = require('child_process');

Promise.allSettled([Promise.resolve(process.argv[2])]).then((results) => { // source: argv
  for (const result of results) exec(result.value); // sink: command-injection argv
});
