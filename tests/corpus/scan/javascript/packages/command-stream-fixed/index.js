// scan: sources=library
var Transform = require('stream').Transform;
var util = require('util');
var execFileSync = require('child_process').execFileSync;

function Blame(opts) {
  Transform.call(this, { objectMode: true });
  opts = opts || {};
  this.rev = opts.rev;
}
util.inherits(Blame, Transform);

Blame.prototype._transform = function (file, enc, done) {
  var out = execFileSync('git', ['blame', this.rev, '--', 'package.json']);
  this.push({ file: file.path, out: out });
  done();
};

module.exports = function (opts) {
  return new Blame(opts);
};
