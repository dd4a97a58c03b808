const { exec } = require('child_process');

function build(name) {
  const list = [];
  if (name.length > 3) list.push('ls');
  list.push(name);
  return list[0];
}

exec(build(process.argv[2])); // source: argv // sink: command-injection argv
