#!/usr/bin/env node
'use strict';
const program = require('commander');
const { exec } = require('child_process');

program
  .version('1.0.0')
  .command('tag <name>')
  .option('-m, --message <text>', 'message')
  .action((name, options) => { // source: a
    exec(`git tag -a ${name} -m "${options.message}"`, (err) => { // sink: command-injection a
      if (err) process.exit(1);
    });
  });

program.parse(process.argv);
