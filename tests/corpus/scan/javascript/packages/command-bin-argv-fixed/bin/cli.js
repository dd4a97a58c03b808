#!/usr/bin/env node
var execFileSync = require('child_process').execFileSync;
var args = process.argv.slice(2);
var target = args[0] || '.';

function size(folder) {
  return execFileSync('du', ['-sh', '--', folder]).toString().split('\t')[0];
}

console.log(size(target));
