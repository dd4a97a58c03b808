// scan: sources=library
(function (global, factory) {
  typeof exports === 'object' && typeof module !== 'undefined' ? factory(exports, require('child_process')) :
  typeof define === 'function' && define.amd ? define(['exports', 'child_process'], factory) :
  (global = typeof globalThis !== 'undefined' ? globalThis : global || self, factory(global.tool = {}, global.cp));
})(this, (function (exports, cp) { 'use strict';
  class Tool {
    run(command) { // source: parameter
      cp.exec(command); // sink: command-injection parameter
    }
  }
  exports.Tool = Tool;
  Object.defineProperty(exports, '__esModule', { value: true });
}));
