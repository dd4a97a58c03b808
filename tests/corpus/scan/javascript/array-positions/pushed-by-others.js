const { exec } = require('child_process');

const fill = (list) => list.unshift('pwd');

function build(name) {
  const list = [];
  list.push('ls');
  fill(list);
  list.push(name);
  return list[2];
}

exec(build(process.argv[2])); // source: argv // sink: command-injection argv
