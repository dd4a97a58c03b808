// scan: sources=library
const Base = require('class-base');
const queued = require('queued-calls');
const { exec } = require('child_process');

module.exports = Base.extend({
  open: queued(function (file) { // source: file
    exec('open ' + file); // sink: command-injection file
  }),
});
