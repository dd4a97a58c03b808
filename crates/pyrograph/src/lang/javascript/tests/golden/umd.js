(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports', 'b'], factory);
  else if (typeof module === 'object' && module.exports) module.exports = factory(require('b'));
  else root.lib = factory(root.b);
})(this, function (b) { return { go(x) { return b(x); } }; });
define('named', ['dep', 'exports'], function (dep, exports) { exports.x = dep; });
define(function (require, exports, module) { module.exports = require('y'); });
define({ plain: 1 });
