const { exec } = require('child_process');

module.exports = ({ command, cwd }) => {
  exec(command, { cwd }); // sink: command-injection argv
};
