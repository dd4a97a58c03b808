// scan: sources=library
const { exec } = require('child_process');

const commands = {
  linux: (pid, signal) => `kill -${signal} ${pid}`,
  win32: (pid) => `taskkill /pid ${pid} /T /F`,
};

module.exports = (pid, signal, callback) => { // source: a
  const build = commands[process.platform] || commands.linux;
  exec(build(pid, signal), callback); // sink: command-injection a
};
