const { execSync } = require('child_process');

exports.remove = function (file) { // source: file
  execSync(`rm ${file}`); // sink: command-injection file
};
