const { exec } = require('child_process');

module.exports = (command) => {
  command = 'ls';
  exec(command); // ok: command-injection
};
