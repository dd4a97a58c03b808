const { exec } = require('child_process');

let command = 'ls';
outer: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (i * j === 2) {
      command = process.argv[2]; // source: argv
      break outer;
    }
  }
}
exec(command); // sink: command-injection argv
