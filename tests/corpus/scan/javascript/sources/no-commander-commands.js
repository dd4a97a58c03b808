#!/usr/bin/env node
const program = require('commander');
const { exec } = require('child_process');

program.command('build').command('test').parse(process.argv);

function help(names) {
  exec('man ' + names.join(' ')); // ok: command-injection
}

help(program.commands.map((command) => command.usage));
