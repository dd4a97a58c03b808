exports.exec = (text) => text.length;
