const { exec } = require('child_process');
const proxy = new Proxy({}, { get: (target, name) => process.argv[2] }); // source: argv
exec(proxy.anything); // sink: command-injection argv
