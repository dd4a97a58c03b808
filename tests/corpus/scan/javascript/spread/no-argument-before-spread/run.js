const { execSync } = require('child_process');

exports.run = (target, ...rest) => {
  execSync('make ' + target); // ok: command-injection
  return rest.length;
};
