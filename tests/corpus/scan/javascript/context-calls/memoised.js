const { exec } = require('child_process');
const memo = new Map();
function cached(key, make) {
  if (!memo.has(key)) memo.set(key, make());
  return memo.get(key);
}
exec(cached('x', () => process.argv[2])); // source: argv // sink: command-injection argv
