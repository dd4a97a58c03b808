exports.parse = (text) => ({ line: 'ls ' + text });
