const async = require('async');
const { exec } = require('child_process');

async.waterfall([
  (next) => next(null, process.argv[2]), // source: argv
  (name, next) => next(null, 'cat ' + name),
], (error, line) => {
  exec(line); // sink: command-injection argv
});
