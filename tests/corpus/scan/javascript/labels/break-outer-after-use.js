const { exec } = require('child_process');
outer: for (const a of [1, 2]) {
  for (const b of process.argv) { // source: argv
    if (b === 'x') continue outer;
    exec(b); // sink: command-injection argv
    break outer;
  }
}
