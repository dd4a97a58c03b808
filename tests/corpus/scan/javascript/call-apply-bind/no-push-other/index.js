const { execSync } = require('child_process');
const { append } = require('./lists');

const seen = [];
const known = [];
append(seen, [process.argv[2]]);
append(known, ['ls']);
execSync(known[0]); // ok: command-injection
console.log(seen.length);
