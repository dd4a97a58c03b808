// scan: sources=library
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.run = void 0;
const inner = { run: function (command) { require("child_process").exec(command); } }; // source: parameter // sink: command-injection parameter
Object.defineProperty(exports, "run", { enumerable: true, get: function () { return inner.run; } });
