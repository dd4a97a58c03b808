// scan: sources=library
// A bundler exports functions by getters that a loop defines.
var define = Object.defineProperty;
var exportAll = (target, all) => {
  for (var name in all) define(target, name, { get: all[name], enumerable: true });
};
var entry = {};
exportAll(entry, { run: () => run });
module.exports = entry;

var { exec } = require("child_process");
function run(command) { // source: parameter
  exec(command); // sink: command-injection parameter
}
