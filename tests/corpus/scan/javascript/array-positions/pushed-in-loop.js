const { exec } = require('child_process');

function collect(words) {
  const list = [];
  for (const word of words) {
    list.push('ls');
    list.push(word);
  }
  return list;
}

exec(collect(process.argv)[2]); // source: argv // sink: command-injection argv
