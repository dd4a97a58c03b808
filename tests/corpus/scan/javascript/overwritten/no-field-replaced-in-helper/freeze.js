exports.freeze = (options) => Object.freeze({ ...options, tool: 'git' });
