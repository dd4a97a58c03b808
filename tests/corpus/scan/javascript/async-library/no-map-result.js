const async = require('async');
const { exec } = require('child_process');

async.map(process.argv.slice(2), (name, done) => done(null, name.length), (error, lengths) => {
  exec('head -n ' + lengths[0]); // ok: command-injection
});
