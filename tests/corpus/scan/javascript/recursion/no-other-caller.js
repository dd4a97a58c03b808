const { exec } = require('child_process');

function strip(text) {
  return text.startsWith(' ') ? strip(text.slice(1)) : text;
}

const title = strip(process.argv[2]);
exec(strip(' ls')); // ok: command-injection
module.exports = title;
