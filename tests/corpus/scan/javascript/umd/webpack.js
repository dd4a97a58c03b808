// scan: sources=library
(function webpackUniversalModuleDefinition(root, factory) {
  if (typeof exports === 'object' && typeof module === 'object')
    module.exports = factory(require('child_process'));
  else if (typeof define === 'function' && define.amd)
    define(['child_process'], factory);
  else {
    var a = typeof exports === 'object' ? factory(require('child_process')) : factory(root['cp']);
    for (var i in a) (typeof exports === 'object' ? exports : root)[i] = a[i];
  }
})(this, function (__WEBPACK_EXTERNAL_MODULE_1__) {
  return (function (modules) {
    var installedModules = {};
    function __webpack_require__(moduleId) {
      if (installedModules[moduleId]) return installedModules[moduleId].exports;
      var module = (installedModules[moduleId] = { i: moduleId, l: false, exports: {} });
      modules[moduleId].call(module.exports, module, module.exports, __webpack_require__);
      module.l = true;
      return module.exports;
    }
    __webpack_require__.d = function (exports, name, getter) {
      Object.defineProperty(exports, name, { enumerable: true, get: getter });
    };
    return __webpack_require__((__webpack_require__.s = 0));
  })([
    function (module, exports, __webpack_require__) {
      var cp = __webpack_require__(1);
      module.exports = { run: function (command) { cp.exec(command); } }; // source: parameter // sink: command-injection parameter
    },
    function (module, exports) {
      module.exports = __WEBPACK_EXTERNAL_MODULE_1__;
    },
  ]);
});
