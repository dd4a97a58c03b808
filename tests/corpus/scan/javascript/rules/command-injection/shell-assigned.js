const { spawn, execFile } = require('child_process');

const script = process.argv[2]; // source: argv
let shell = 'sh';
let flag = '-c';
if (process.platform === 'win32') {
  shell = 'cmd';
  flag = '/d /s /c';
}
spawn(shell, [flag, script]); // sink: command-injection argv
execFile(shell, ['-c', script]); // sink: command-injection argv
