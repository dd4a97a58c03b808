const async = require('async');
const { exec } = require('child_process');

async.waterfall([
  (next) => next(process.argv[2]),
  (name, next) => next(null, name),
], (error, line) => {
  exec(line); // ok: command-injection
});
