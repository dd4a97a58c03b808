const fs = require('fs'), { exec: run } = require('child_process');
const name = 'lo' + 'dash';
const lodash = require(name), dynamic = require(x), direct = require('./a')(1).b;
exports.one = function one(x) { return run(x); };
module.exports.two = lodash;
this.three = 3;
exports = module.exports = main;
exports.four = fs.four;
function main() { return exports.one(module.exports, require('./lazy'), this); }
function local(require) { return require('not-a-module'); }
