"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
var git_1 = require("./git");
Object.defineProperty(exports, "Git", { enumerable: true, get: function () { return git_1.Git; } });
