// scan: sources=library
var _ = require('lodash');
var cp = require('child_process');
var defaults = { args: [] };

module.exports = Extractor;

function Extractor(opts) {
  _.extend(this, defaults, opts);
}

_.extend(Extractor.prototype, {
  list: function () {
    return [].concat(this.args, this.file, '-').filter(Boolean);
  },
  run: function (done) {
    cp.execFile('pdftotext', this.list(), { maxBuffer: 1 << 24 }, done);
  }
});
