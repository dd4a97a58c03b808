#!/usr/bin/env node
var execSync = require('child_process').execSync;
var args = process.argv.slice(2); // source: a
var target = args[0] || '.';

function size(folder) {
  return execSync('du -sh ' + folder).toString().split('\t')[0]; // sink: command-injection a
}

console.log(size(target));
