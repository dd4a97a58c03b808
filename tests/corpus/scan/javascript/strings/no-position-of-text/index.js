const { execSync } = require('child_process');
const { columnOf } = require('./column');

const column = columnOf(process.argv[2], ':');
execSync(`cut -c ${column}- file.txt`); // ok: command-injection
