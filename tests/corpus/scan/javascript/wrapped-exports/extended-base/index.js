// scan: sources=library
const Base = require('class-base');
const { exec } = require('child_process');

module.exports = Base.extend({
  constructor: function () {
    this.options = {};
  },
  open: function (file) { // source: file
    exec('open ' + file); // sink: command-injection file
  },
});
