const { execSync } = require('child_process');
const { append, add, extend } = require('./lists');

const first = [];
append(first, [process.argv[2]]); // source: first
execSync(first[0]); // sink: command-injection first

const second = [];
add(second, process.argv[3]); // source: second
execSync(second.join(' ')); // sink: command-injection second

const third = [];
extend(third, [process.argv[4]]); // source: third
execSync(third[0]); // sink: command-injection third
