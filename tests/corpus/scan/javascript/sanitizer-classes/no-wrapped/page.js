const escapeHtml = require('escape-html');

const bold = (text) => `<b>${escapeHtml(text)}</b>`;
exports.page = (name) => '<p>' + bold(name) + '</p>';
