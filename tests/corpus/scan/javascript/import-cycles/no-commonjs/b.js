const a = require('./a');

exports.step = (text) => {
  a.run('ls');
  return text.length;
};
