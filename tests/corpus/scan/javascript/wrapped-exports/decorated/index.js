// scan: sources=library
"use strict";
const tslib_1 = require("tslib");
const shell_1 = require("./shell");
let Shell = class Shell {
  run(file) { // source: file
    shell_1.start("cat " + file);
  }
};
Shell = tslib_1.__decorate([require("inject-it").injectable()], Shell);
exports.Shell = Shell;
