const { exec } = require('child_process');

function last(name) {
  const all = [name];
  all.push('ls', 'pwd');
  return all.pop();
}

exec(last(process.argv[2])); // ok: command-injection
