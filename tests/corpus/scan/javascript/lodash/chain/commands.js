const _ = require('lodash');

exports.commands = (words) =>
  _.chain(words)
    .drop(2)
    .filter((word) => word.length > 1)
    .map((word) => ({ command: `ls ${word}` }))
    .map('command')
    .uniq()
    .value();
