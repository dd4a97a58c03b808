// scan: sources=library
"use strict";
const _async_to_generator = require("@swc/helpers/_/_async_to_generator");
const child = require("child_process");
exports.run = function () {
  var _ref = _async_to_generator._(function* (file) {
    child.exec("cat " + file); // sink: command-injection file
  });
  return function run(file) { // source: file
    return _ref.apply(this, arguments);
  };
}();
