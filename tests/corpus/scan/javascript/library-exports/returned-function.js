// scan: sources=library
const { exec } = require('child_process');

exports.create = () => {
  return (command) => { // source: command
    exec(command); // sink: command-injection command
  };
};
