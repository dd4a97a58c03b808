// Babel and TypeScript with packages of helpers: the functions that wrap modules are imported.
'use strict';
var _interopRequireDefault = require('@babel/runtime/helpers/interopRequireDefault');
var _interopRequireWildcard = require('@babel/runtime/helpers/interopRequireWildcard');
var tslib_1 = require('tslib');
var _child_process = _interopRequireDefault(require('child_process'));
var processes = _interopRequireWildcard(require('child_process'));
var children = tslib_1.__importStar(require('child_process'));
var child = tslib_1.__importDefault(require('child_process'));
function run(command) {
  _child_process.default.exec(command); // sink: command-injection default
}
run(process.argv[2]); // source: default
processes.exec(process.argv[3]); // source: wildcard // sink: command-injection wildcard
children.exec(process.argv[4]); // source: star // sink: command-injection star
child.default.exec(process.argv[5]); // source: import // sink: command-injection import
_child_process.default.exec('ls'); // ok: command-injection
