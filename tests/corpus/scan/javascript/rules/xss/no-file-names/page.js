const escape = require('escape-html');

exports.page = (files) => `<ul>${files.map((file) => `<li>${escape(file)}</li>`).join('')}</ul>`;
