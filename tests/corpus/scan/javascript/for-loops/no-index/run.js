const { exec } = require('child_process');

module.exports = (list) => {
  for (let i = 0; i < list.length; i++) {
    exec('renice ' + i); // ok: command-injection
  }
};
