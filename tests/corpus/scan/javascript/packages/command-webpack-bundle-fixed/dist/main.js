// scan: sources=library
module.exports =
/******/ (function(modules) { // webpackBootstrap
/******/ 	var installedModules = {};
/******/ 	function __webpack_require__(moduleId) {
/******/ 		if(installedModules[moduleId]) {
/******/ 			return installedModules[moduleId].exports;
/******/ 		}
/******/ 		var module = installedModules[moduleId] = { i: moduleId, l: false, exports: {} };
/******/ 		modules[moduleId].call(module.exports, module, module.exports, __webpack_require__);
/******/ 		module.l = true;
/******/ 		return module.exports;
/******/ 	}
/******/ 	return __webpack_require__(__webpack_require__.s = 0);
/******/ })([
/* 0 */
/***/ (function(module, exports, __webpack_require__) {

"use strict";
const run = __webpack_require__(1);
module.exports = function lint(file) { return run('eslint', [file]); };

/***/ }),
/* 1 */
/***/ (function(module, exports, __webpack_require__) {

"use strict";
const cp = __webpack_require__(2);
module.exports = function (command, args) {
  return cp.execFileSync('eslint', args, { encoding: 'utf8' });
};

/***/ }),
/* 2 */
/***/ (function(module, exports) {

module.exports = require("child_process");

/***/ })
/******/ ]);
