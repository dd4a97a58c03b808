const { exec } = require('child_process');

function A() {}
A.prototype.go = function (v) { exec(v); }; // ok: command-injection
function B() {}
B.prototype = Object.create(A.prototype);
B.prototype.go = function (v) { exec('ls'); };
new B().go(process.argv[2]);
