const { execSync } = require('child_process');

function total(texts) {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
execSync('head -c ' + total(process.argv.slice(2)) + ' /dev/zero'); // ok: command-injection
