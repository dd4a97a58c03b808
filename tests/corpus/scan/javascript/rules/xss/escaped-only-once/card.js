const escapeHtml = require('escape-html');

// The title is escaped, the class is not.
exports.card = ({ title, kind }) => `<div class="card ${kind}">${escapeHtml(title)}</div>`;
