const { exec } = require('child_process');

module.exports = function later(command, title) {
  return () => {
    exec(command); // ok: command-injection
    return title;
  };
};
