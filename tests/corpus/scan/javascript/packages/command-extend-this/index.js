// scan: sources=library
var _ = require('lodash');
var cp = require('child_process');
var defaults = { bin: 'pdftotext', args: '' };

module.exports = Extractor;

function Extractor(opts) { // source: a
  _.extend(this, defaults, opts);
}

_.extend(Extractor.prototype, {
  command: function () {
    return [this.bin, this.args, this.file, '-'].filter(Boolean).join(' ');
  },
  run: function (done) {
    cp.exec(this.command(), { maxBuffer: 1 << 24 }, done); // sink: command-injection a
  }
});
