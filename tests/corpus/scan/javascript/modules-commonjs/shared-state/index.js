const state = require('./state');
const run = require('./run');

state.command = process.argv[2]; // source: argv
run();
