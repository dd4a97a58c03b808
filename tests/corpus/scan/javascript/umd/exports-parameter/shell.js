(function (global, factory) {
  typeof exports === 'object' && typeof module !== 'undefined'
    ? factory(exports, require('child_process'))
    : factory((global.shell = {}), global.cp);
})(this, function (exports, cp) {
  'use strict';
  function run(command) {
    cp.exec(command); // sink: command-injection argv
  }
  exports.run = run;
});
