#!/usr/bin/env node
'use strict';
const program = require('commander');
const { execFile } = require('child_process');

program
  .version('1.0.0')
  .command('tag <name>')
  .option('-m, --message <text>', 'message')
  .action((name, options) => {
    execFile('git', ['tag', '-a', name, '-m', options.message], (err) => {
      if (err) process.exit(1);
    });
  });

program.parse(process.argv);
