#!/usr/bin/env node
const program = require('commander');
const { exec } = require('child_process');

program.version('1.0.0').option('-b, --branch <name>').parse(process.argv);

function checkout(branch) {
  exec('git checkout ' + branch); // sink: command-injection branch
}

checkout(program.branch); // source: branch
