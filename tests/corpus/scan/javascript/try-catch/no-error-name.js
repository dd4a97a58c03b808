const { exec } = require('child_process');

try {
  throw new TypeError(process.argv[2]);
} catch (error) {
  exec(error.name); // ok: command-injection
}
