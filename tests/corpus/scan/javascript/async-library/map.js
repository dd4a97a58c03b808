const async = require('async');
const { exec } = require('child_process');

async.map(process.argv.slice(2), (name, done) => done(null, 'cat ' + name), (error, lines) => { // source: argv
  lines.forEach((line) => exec(line)); // sink: command-injection argv
});
