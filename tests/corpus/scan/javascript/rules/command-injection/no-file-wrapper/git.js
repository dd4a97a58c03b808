const { promisify } = require('util');
const execFile = promisify(require('child_process').execFile);

const git = async (...words) => {
  const { stdout } = await execFile('git', words, { maxBuffer: 1 << 20 }); // ok: command-injection
  return stdout;
};

exports.show = (path) => git('show', '--', path);
