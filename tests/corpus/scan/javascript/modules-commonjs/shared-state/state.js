module.exports = { command: 'ls' };
