const async = require('async');
const { exec } = require('child_process');

async.auto({
  name: (done) => done(null, process.argv[2]), // source: argv
  run: ['name', (results, done) => { exec(results.name); done(); }], // sink: command-injection argv
});
