const { exec } = require('child_process');

const rest = process.argv.slice(2); // source: argv
let line = 'ls';
while (rest.length > 0) {
  line += ' ' + rest.shift();
}
exec(line); // sink: command-injection argv
