exports.isUnsafe = (text) => !['a', 'b'].includes(text);
