const childProcess = require('child_process');

exports.run = (line) =>
  new Promise((resolve, reject) => {
    childProcess.exec(line, (error, stdout) => (error ? reject(error) : resolve(stdout))); // sink: command-injection branch
  });
