// scan: sources=library
const Q = require('q');
const cp = require('child_process');

exports.remove = (file) => Q.nfcall(cp.exec, 'rm ' + file); // source: file // sink: command-injection file
exports.list = (folder) => Q.nfapply(cp.exec, ['ls ' + folder]); // source: folder // sink: command-injection folder
exports.open = (name) => Q.ninvoke(cp, 'exec', 'open ' + name); // source: name // sink: command-injection name
exports.show = (page) => Q.nfbind(cp.exec)('man ' + page); // source: page // sink: command-injection page
