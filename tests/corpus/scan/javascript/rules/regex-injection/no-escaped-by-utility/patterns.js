const _ = require('lodash');

exports.wordPattern = (word) => new RegExp(`\\b${_.escapeRegExp(word)}\\b`, 'i'); // ok: regex-injection
