const util = require('util');
const Base = require('./base');

function Quiet(text) {
  this.text = text;
}
util.inherits(Quiet, Base);
Quiet.prototype.start = function () {
  return this.text.length;
};

new Quiet(process.argv[2]).start();
