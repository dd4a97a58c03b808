// scan: sources=library
const { exec } = require('child_process');

function escapeShell(text) {
  return "'" + text.replace(/'/g, "'\\''") + "'";
}
module.exports = (name, done) => exec('git clone ' + escapeShell(name), done); // ok: command-injection
