exports.nameOf = (text) => Buffer.from(text).toString('base64');
