const async = require('async');
const { exec } = require('child_process');

async.each(process.argv.slice(2), (name, done) => { // source: argv
  exec(name, done); // sink: command-injection argv
}, () => {});
