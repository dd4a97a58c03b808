exports.nameOf = (text) => Buffer.from(text).toString('hex');
