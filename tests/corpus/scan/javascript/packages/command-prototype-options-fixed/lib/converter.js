// scan: sources=library
var cp = require('child_process');
var util = require('util');
var EventEmitter = require('events').EventEmitter;

function Converter(options) {
  if (!(this instanceof Converter)) return new Converter(options);
  EventEmitter.call(this);
  this.options = options || {};
  this.bin = 'convert';
}
util.inherits(Converter, EventEmitter);

Converter.prototype._args = function () {
  var args = [this.options.input, '-resize', this.options.width + 'x' + this.options.height];
  args.push(this.options.output);
  return args;
};

Converter.prototype.run = function (callback) {
  var self = this;
  var args = self._args();
  self.emit('start', args);
  cp.execFile(self.bin, args, { maxBuffer: 1024 * 1024 }, function (err) {
    if (err) return self.emit('error', err);
    self.emit('end');
    callback && callback(null, self.options.output);
  });
};

module.exports = Converter;
