exports.command = process.argv[2];
module.exports = { command: 'ls' };
