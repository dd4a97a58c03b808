const { exec } = require('child_process');

const DEBUG = false;

function trace(text) {
  if (DEBUG) {
    exec('logger ' + text); // ok: command-injection
  }
}

trace(process.argv[2]);
