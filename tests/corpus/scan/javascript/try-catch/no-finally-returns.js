const { exec } = require('child_process');
function f() {
  try {
    return process.argv[2];
  } finally {
    return 'ls';
  }
}
exec(f()); // ok: command-injection
