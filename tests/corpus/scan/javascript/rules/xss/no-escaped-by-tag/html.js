const escapeHtml = require('escape-html');

exports.html = (strings, ...values) =>
  strings.reduce((text, part, index) => text + escapeHtml(String(values[index - 1])) + part);
