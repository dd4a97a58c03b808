// scan: sources=library
"use strict";
var define = require("@babel/runtime/helpers/defineProperty");
var child = require("child_process");
var Shell = function Shell(folder) { // source: folder
  define(this, "folder", folder);
  define(this, "mode", "-l");
  define(this, "list", function () {
    child.exec("ls " + this.folder); // sink: command-injection folder
  });
};
module.exports = Shell;
