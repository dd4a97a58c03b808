// scan: sources=library
(function (global, factory) {
  typeof exports === 'object' && typeof module !== 'undefined' ? module.exports = factory(require('child_process')) :
  typeof define === 'function' && define.amd ? define(['child_process'], factory) :
  (global.tool = factory(global.cp));
}(this, (function (cp) { 'use strict';
  cp = cp && Object.prototype.hasOwnProperty.call(cp, 'default') ? cp['default'] : cp;
  return function run(command) { // source: parameter
    cp.exec(command); // sink: command-injection parameter
  };
})));
