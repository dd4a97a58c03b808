// scan: sources=library
(function (root, factory) {
  if (typeof module === 'object') module.exports = factory();
  else root.shell = factory();
})(this, function () {
  function run(command) { // source: command
    require('child_process').exec(command); // sink: command-injection command
  }
  return { run: run };
});
