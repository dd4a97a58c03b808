// scan: sources=library
"use strict";
var _defineProperty = require("@babel/runtime/helpers/defineProperty");
var child = require("child_process");
var Shell = function Shell(folder) {
  _defineProperty(this, "folder", folder);
  _defineProperty(this, "mode", "-l");
  _defineProperty(this, "list", function () {
    child.exec("ls " + this.mode); // ok: command-injection
  });
};
module.exports = Shell;
