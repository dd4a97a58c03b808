// scan: sources=library
const { exec } = require('child_process');

function hasForbidden(text) {
  return /[;&|`$(){}<>\n\\"' ]/.test(text);
}
module.exports = function run(branch, done) {
  if (hasForbidden(branch)) return done(new Error('no branch'));
  exec('git checkout ' + branch, done); // ok: command-injection
};
