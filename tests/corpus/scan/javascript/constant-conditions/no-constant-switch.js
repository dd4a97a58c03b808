const { exec } = require('child_process');

const MODE = 'safe';

function run(text) {
  switch (MODE) {
    case 'unsafe':
      exec(text); // ok: command-injection
      break;
    default:
      exec('ls');
  }
}

run(process.argv[2]);
