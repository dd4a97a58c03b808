// scan: sources=library
var exec = require('child_process').exec;

function Camera(options) { // source: a
  for (var key in options) {
    this[key] = options[key];
  }
  this.count = 0;
}

Camera.prototype.shoot = function (cb) {
  this.count++;
  exec('raspistill -o ' + this.output + ' -w ' + this.width, cb); // sink: command-injection a
};

module.exports = Camera;
