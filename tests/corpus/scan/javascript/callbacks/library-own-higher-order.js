const cp = require('child_process');

function apply(list, callback) {
  for (const item of list) callback(item); // sink: command-injection argv
}

apply([process.argv[2]], cp.execSync); // source: argv
