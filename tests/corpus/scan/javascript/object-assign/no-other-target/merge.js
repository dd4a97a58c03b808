module.exports = (options) => Object.assign({ cwd: '/tmp' }, options);
