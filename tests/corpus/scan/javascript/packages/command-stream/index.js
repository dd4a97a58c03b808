// scan: sources=library
var Transform = require('stream').Transform;
var util = require('util');
var execSync = require('child_process').execSync;

function Blame(opts) {
  Transform.call(this, { objectMode: true });
  opts = opts || {};
  this.rev = opts.rev;
}
util.inherits(Blame, Transform);

Blame.prototype._transform = function (file, enc, done) {
  var out = execSync('git blame ' + this.rev + ' -- package.json'); // sink: command-injection
  this.push({ file: file.path, out: out });
  done();
};

module.exports = function (opts) {
  return new Blame(opts);
};
