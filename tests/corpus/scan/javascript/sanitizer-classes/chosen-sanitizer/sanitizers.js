const escapeHtml = require('escape-html');
const path = require('path');

module.exports = { html: escapeHtml, file: path.basename };
