const _ = require('lodash');
const { exec } = require('child_process');

function last(words) {
  return _.chain(words).compact().sortBy('length').last().trim().value();
}

exec(last(process.argv)); // source: argv // sink: command-injection argv
