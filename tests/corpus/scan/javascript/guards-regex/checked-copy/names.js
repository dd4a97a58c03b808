exports.normalise = (text) => text.split(' ')[0];
exports.isName = (text) => /^[a-z]+$/.test(text);
