const { execSync } = require('child_process');

exports.run = (flag, name) => {
  console.log(flag);
  execSync('make ' + name); // sink: command-injection argv
};
