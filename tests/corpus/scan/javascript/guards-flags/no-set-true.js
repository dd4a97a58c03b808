const { exec } = require('child_process');

function run(name) {
  let isSafe = false;
  if (/^\w+$/.test(name)) {
    isSafe = true;
  }
  if (isSafe) exec('svc ' + name); // ok: command-injection
}
run(process.argv[2]);
