const { exec } = require('child_process');

module.exports = (program) => (argument) => () => {
  exec(`${program} ${argument}`); // sink: command-injection argv
};
