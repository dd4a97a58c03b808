// scan: sources=library
const tables = {};

function define(names, make) {
  tables[names[0]] = make(require('child_process'));
}

define(['child_process'], function (child) {
  return {
    list: function (folder) {
      child.exec('ls ' + folder); // ok: command-injection
    },
  };
});

exports.names = () => Object.keys(tables);
