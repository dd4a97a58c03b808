// scan: sources=library
var execFile = require('child_process').execFile;

function Camera(options) {
  for (var key in options) {
    this[key] = options[key];
  }
  this.count = 0;
}

Camera.prototype.shoot = function (cb) {
  this.count++;
  execFile('raspistill', ['-o', this.output, '-w', this.width], cb);
};

module.exports = Camera;
