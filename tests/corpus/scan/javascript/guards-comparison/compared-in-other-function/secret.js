exports.checkSecret = (secret) => secret === 'fixed-token';
