var __spreadArray = (this && this.__spreadArray) || function (to, from, pack) {
    if (pack || arguments.length === 2) for (var i = 0, l = from.length, ar; i < l; i++) {
        if (ar || !(i in from)) {
            if (!ar) ar = Array.prototype.slice.call(from, 0, i);
            ar[i] = from[i];
        }
    }
    return to.concat(ar || Array.prototype.slice.call(from));
};
var cp = require("child_process");
var all = __spreadArray(__spreadArray([], ["ls"], false), process.argv.slice(2), true); // source: argv
cp.exec(all.join(" ")); // sink: command-injection argv
