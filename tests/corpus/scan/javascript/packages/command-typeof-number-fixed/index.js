// scan: sources=library
const { exec } = require('child_process');

const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT'];
const commands = {
  linux: (pid, signal) => `kill -${signal} ${pid}`,
  win32: (pid) => `taskkill /pid ${pid} /T /F`,
};

module.exports = (pid, signal, callback) => {
  if (typeof pid !== 'number' || Number.isNaN(pid)) {
    return callback(new TypeError('pid must be a number'));
  }
  if (SIGNALS.indexOf(signal) < 0) signal = 'SIGTERM';
  const build = commands[process.platform] || commands.linux;
  exec(build(pid, signal), callback);
};
