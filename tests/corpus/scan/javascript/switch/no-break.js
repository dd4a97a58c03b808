const { exec } = require('child_process');

const count = process.argv.length;
let text = '';
let command = 'ls';
switch (count) {
  case 3:
    command = process.argv[2];
    text = command;
    break;
  case 4:
    exec(command); // ok: command-injection
    break;
}
module.exports = text;
