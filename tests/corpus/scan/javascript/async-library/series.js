const async = require('async');
const { exec } = require('child_process');

async.series([
  (done) => done(null, process.argv[2]), // source: argv
  (done) => done(null, 'x'),
], (error, results) => {
  exec(results[0]); // sink: command-injection argv
});
