const { exec } = require('child_process');
const state = require('./state');

module.exports = () => exec(state.command); // sink: command-injection argv
