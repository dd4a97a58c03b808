var shell = require('../utils').shell;

module.exports = function (options) {
  return function checkout(branch) {
    return shell.run('git', ['checkout', branch], { cwd: options.path });
  };
};
