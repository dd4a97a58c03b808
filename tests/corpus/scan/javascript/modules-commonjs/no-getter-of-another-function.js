// scan: sources=library
// Only the function that the getter returns is exported.
var define = Object.defineProperty;
var exportAll = (target, all) => {
  for (var name in all) define(target, name, { get: all[name], enumerable: true });
};
var entry = {};
exportAll(entry, { run: () => run });
module.exports = entry;

var { exec } = require("child_process");
function run(command) {
  return hidden("ls", command.length);
}
function hidden(command, length) {
  exec(command); // ok: command-injection
  return length;
}
