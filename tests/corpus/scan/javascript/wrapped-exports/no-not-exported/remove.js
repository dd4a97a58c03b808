const { execSync } = require('child_process');

exports.remove = function (file) {
  execSync(`rm ${file}`); // ok: command-injection
};
