// scan: sources=library
(function (root, factory) {
  if (typeof module === 'object') module.exports = factory();
  else root.shell = factory();
})(this, function () {
  function run(command) {
    require('child_process').exec(command); // ok: command-injection
  }
  return {
    list: function (title) {
      run('ls');
      return title;
    },
  };
});
