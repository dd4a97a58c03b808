const async = require('async');
const { exec } = require('child_process');

async.waterfall([
  function (next) { next(null, process.argv[2], 'x'); }, // source: argv
  function (name, title, next) { exec(name); next(); }, // sink: command-injection argv
]);
