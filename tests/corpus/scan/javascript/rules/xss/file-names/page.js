exports.page = (files) => `<ul>${files.map((file) => `<li>${file}</li>`).join('')}</ul>`;
