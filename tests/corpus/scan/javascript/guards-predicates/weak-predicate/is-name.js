exports.isName = (text) => typeof text === 'string' && text.length > 0;
