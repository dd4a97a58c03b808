const quote = (text) => `"${text}"`;

exports.wrap = (text) => quote(text) + ' -l';
