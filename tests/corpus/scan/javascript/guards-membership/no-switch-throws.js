const { exec } = require('child_process');

function check(v) {
  switch (v) {
    case 'ls': case 'pwd': break;
    default: throw new Error('no');
  }
  exec(v); // ok: command-injection
}
check(process.argv[2]);
