const { exec } = require('child_process');

function last(list) { return list.length === 1 ? list[0] : last(list.slice(1)); }
exec(last(['a', process.argv[2]])); // source: argv // sink: command-injection argv
exec(last(['a', 'ls'])); // ok: command-injection
