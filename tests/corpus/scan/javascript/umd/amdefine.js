// scan: sources=library
if (typeof define !== 'function') {
  var define = require('amdefine')(module);
}
define(['child_process'], function (child) {
  return {
    list: function (folder) { // source: folder
      child.exec('ls ' + folder); // sink: command-injection folder
    },
  };
});
