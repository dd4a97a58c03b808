const { exec } = require('child_process');

function count(items) {
  let total = 0;
  for (const item of items) total++;
  return total;
}

exec('head -n ' + count(process.argv)); // ok: command-injection
