// scan: sources=library
const { spawn } = require('child_process');

module.exports = function run(script) { // source: script
  const shell = process.platform === 'win32' ? 'cmd' : 'sh';
  const flag = process.platform === 'win32' ? '/c' : '-c';
  return spawn(shell, [flag, script]); // sink: command-injection script
};
