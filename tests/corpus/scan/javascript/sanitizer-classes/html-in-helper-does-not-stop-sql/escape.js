const he = require('he');

exports.escapeText = (text) => he.encode(String(text).trim());
