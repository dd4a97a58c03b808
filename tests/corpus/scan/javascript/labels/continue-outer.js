const { exec } = require('child_process');

let command = 'ls';
outer: for (const word of process.argv.slice(2)) { // source: argv
  for (const letter of ['a', 'b']) {
    if (word === letter) continue outer;
  }
  command = word;
}
exec(command); // sink: command-injection argv
