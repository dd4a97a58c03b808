// scan: sources=library
var util = require('util');
var spawn = require('child_process').spawn;

function buildCommand(opts) {
  var cmd = util.format('ffmpeg -i "%s" -vf fps=%d', opts.src, opts.fps || 10);
  if (opts.quiet) cmd += ' -loglevel quiet';
  cmd += ' ' + opts.dest;
  return cmd;
}

module.exports = {
  convert: function (opts, done) { // source: a
    var child = spawn(buildCommand(opts), { shell: true }); // sink: command-injection a
    child.on('close', function (code) {
      done(code === 0 ? null : new Error('exit ' + code));
    });
  }
};
