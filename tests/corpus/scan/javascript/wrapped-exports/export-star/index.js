// scan: sources=library
"use strict";
const tslib_1 = require("tslib");
tslib_1.__exportStar(require("./shell"), exports);
