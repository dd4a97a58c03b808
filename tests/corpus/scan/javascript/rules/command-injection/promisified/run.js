const util = require('util');
const exec = util.promisify(require('child_process').exec);

module.exports = async (line) => {
  const { stdout } = await exec(line); // sink: command-injection body
  return stdout;
};
