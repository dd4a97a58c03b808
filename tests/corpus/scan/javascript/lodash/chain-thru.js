const _ = require('lodash');
const { exec } = require('child_process');

_(process.argv) // source: argv
  .slice(2)
  .tap((words) => exec(words[0])) // sink: command-injection argv
  .thru((words) => words.join(' '))
  .value();
