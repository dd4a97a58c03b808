exports.toNumber = (text) => parseInt(text, 10);
