exports.encoded = (text) => Buffer.from(text).toString('base64');
