exports.decode = (text) => Buffer.from(text, 'base64').toString('utf8');
