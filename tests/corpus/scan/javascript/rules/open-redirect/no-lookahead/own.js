exports.isOwn = (path) => typeof path === 'string' && /^\/(?!\/|\\)/.test(path);
