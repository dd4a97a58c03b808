// scan: sources=library
const { exec } = require('child_process');

function promisify(work) {
  return function () {
    const passed = [].slice.call(arguments);
    const self = this;
    return new Promise(function (resolve, reject) {
      passed.push(function (error, result) {
        if (error) reject(error);
        else resolve(result);
      });
      work.apply(self, passed); // sink: command-injection folder
    });
  };
}

const run = promisify(exec);

exports.list = (folder) => run('ls ' + folder); // source: folder
