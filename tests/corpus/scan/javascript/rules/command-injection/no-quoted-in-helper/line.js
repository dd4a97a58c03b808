const { quote } = require('shell-quote');

exports.commandLine = (...words) => quote(words);
