// scan: sources=library
"use strict";
var wrap = require("@babel/runtime/helpers/asyncToGenerator");
var child = require("child_process");
exports.run = wrap(function* (file) { // source: file
  yield null;
  child.exec("cat " + file); // sink: command-injection file
});
