const a = require('./a');

exports.step = (text) => a.run('ls ' + text);
