var shell = require('../utils').shell;

module.exports = function (options) {
  return function checkout(branch) { // source: a
    return shell.run(['git', 'checkout', branch].join(' '), { cwd: options.path });
  };
};
