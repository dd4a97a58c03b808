module.exports = { given: process.argv[2], fixed: 'ls' };
