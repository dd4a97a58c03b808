exports.size = (text) => text.length;
