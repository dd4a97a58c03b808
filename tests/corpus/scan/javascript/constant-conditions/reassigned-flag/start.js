const { exec, execFile } = require('child_process');
const settings = require('./settings');

exports.start = (program) => {
  if (settings.isShellEnabled()) {
    exec(`${program} --daemon`); // sink: command-injection argv
  } else {
    execFile('/usr/bin/env', ['true']);
  }
};
