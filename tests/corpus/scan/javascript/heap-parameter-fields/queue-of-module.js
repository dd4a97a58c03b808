const { exec } = require('child_process');
const queue = [];
function add(item) { queue.push(item); }
function next() { return queue.shift(); }
add(process.argv[2]); // source: argv
exec(next()); // sink: command-injection argv
