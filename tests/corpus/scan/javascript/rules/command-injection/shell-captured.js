const { execFile } = require('child_process');

let shell = '/bin/sh';
if (process.platform === 'android') shell = '/system/bin/sh';
exports.run = () => execFile(shell, ['-c', process.argv[2]]); // source: argv // sink: command-injection argv
