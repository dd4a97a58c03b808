const { exec } = require('child_process');

module.exports = ({ title, command }) => {
  exec(command); // ok: command-injection
  return title;
};
