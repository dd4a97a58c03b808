const { exec } = require('child_process');
let state = { command: 'ls' };
function set(value) { state = { ...state, command: value }; }
set(process.argv[2]); // source: argv
exec(state.command); // sink: command-injection argv
