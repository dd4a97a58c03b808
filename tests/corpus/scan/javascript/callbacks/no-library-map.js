const cp = require('child_process');

const names = process.argv.slice(2);
console.log(names);
['ls', 'pwd'].map(cp.execSync); // ok: command-injection
