const { exec } = require('child_process');

let command = process.argv[2]; // source: argv
switch (command) {
  case 'list':
    command = 'ls';
    break;
}
exec(command); // sink: command-injection argv
