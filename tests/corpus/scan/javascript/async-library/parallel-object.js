const async = require('async');
const { exec } = require('child_process');

async.parallel({
  name: (done) => done(null, process.argv[2]), // source: argv
  title: (done) => done(null, 'x'),
}, (error, results) => {
  exec(results.name); // sink: command-injection argv
});
