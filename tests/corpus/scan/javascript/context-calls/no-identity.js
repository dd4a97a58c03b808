const { exec } = require('child_process');

function same(text) {
  return text;
}

const tainted = same(process.argv[2]);
exec(same('ls')); // ok: command-injection
module.exports = tainted;
