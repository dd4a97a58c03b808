const { exec } = require('child_process');

function withInput(callback) {
  callback(process.argv[2]); // source: argv
}

withInput((command) => {
  exec(command); // sink: command-injection argv
});
