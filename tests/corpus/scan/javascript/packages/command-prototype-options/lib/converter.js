// scan: sources=library
var cp = require('child_process');
var util = require('util');
var EventEmitter = require('events').EventEmitter;

function Converter(options) { // source: a
  if (!(this instanceof Converter)) return new Converter(options);
  EventEmitter.call(this);
  this.options = options || {};
  this.bin = 'convert';
}
util.inherits(Converter, EventEmitter);

Converter.prototype._command = function () {
  var args = [this.bin, this.options.input, '-resize', this.options.width + 'x' + this.options.height];
  args.push(this.options.output);
  return args.join(' ');
};

Converter.prototype.run = function (callback) {
  var self = this;
  var cmd = self._command();
  self.emit('start', cmd);
  cp.exec(cmd, { maxBuffer: 1024 * 1024 }, function (err) { // sink: command-injection a
    if (err) return self.emit('error', err);
    self.emit('end');
    callback && callback(null, self.options.output);
  });
};

module.exports = Converter;
