const { exec } = require('child_process');

const queue = [];
queue.push(process.argv[2]); // source: argv
const [command] = queue.reverse().concat(['ls']);
exec(command); // sink: command-injection argv
