const { exec } = require('child_process');
function f() {
  try {
    return process.argv[2]; // source: argv
  } finally {
    console.log('done');
  }
}
exec(f()); // sink: command-injection argv
