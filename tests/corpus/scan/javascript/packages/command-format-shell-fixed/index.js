// scan: sources=library
var spawn = require('child_process').spawn;

function buildArgs(opts) {
  var args = ['-i', opts.src, '-vf', 'fps=' + (opts.fps || 10)];
  if (opts.quiet) args.push('-loglevel', 'quiet');
  args.push(opts.dest);
  return args;
}

module.exports = {
  convert: function (opts, done) {
    var child = spawn('ffmpeg', buildArgs(opts));
    child.on('close', function (code) {
      done(code === 0 ? null : new Error('exit ' + code));
    });
  }
};
