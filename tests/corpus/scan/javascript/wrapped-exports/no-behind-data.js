// scan: sources=library
const { series } = require('task-series');
const { exec } = require('child_process');
const tasks = ['build', 'test'];

exports.done = series(tasks, (task) => exec('make ' + task)); // ok: command-injection
