exports.isName = (text) => /^[\w%]+$/.test(text);
exports.decode = (text) => decodeURIComponent(text);
