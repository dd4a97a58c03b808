// scan: sources=library
const { exec } = require('child_process');
exports.run = (options = {}) => { // source: parameter
  const settings = Object.assign({ cwd: '.' }, options);
  exec(`git log ${settings.branch}`); // sink: command-injection parameter
};
