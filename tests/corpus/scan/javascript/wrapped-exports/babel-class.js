// scan: sources=library
"use strict";
var _interopRequireDefault = require("@babel/runtime/helpers/interopRequireDefault");
var _classCallCheck2 = _interopRequireDefault(require("@babel/runtime/helpers/classCallCheck"));
var _createClass2 = _interopRequireDefault(require("@babel/runtime/helpers/createClass"));
var child = require("child_process");
var Shell = function () {
  function Shell() {
    (0, _classCallCheck2["default"])(this, Shell);
  }
  (0, _createClass2["default"])(Shell, [{
    key: "run",
    value: function run(file) { // source: file
      child.exec("cat " + file); // sink: command-injection file
    }
  }], [{
    key: "open",
    value: function open(name) { // source: name
      child.exec("open " + name); // sink: command-injection name
    }
  }]);
  return Shell;
}();
exports["default"] = Shell;
