const { exec } = require('child_process');
const handlers = { run: (text) => exec(text), list: () => exec('ls') }; // sink: command-injection argv
function dispatch(name, text) { return handlers[name](text); }
dispatch(process.argv[2], process.argv[3]); // source: argv
