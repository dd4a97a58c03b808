exports.encode = (state) => Buffer.from(JSON.stringify(state)).toString('base64url');
exports.decode = (token) => JSON.parse(Buffer.from(token, 'base64url').toString());
