const util = require('util');
const { exec } = require('child_process');

exec(util.format('kill -9 %d', process.argv[2])); // ok: command-injection
exec(util.format('kill -%i %d %%', process.argv[2], process.argv[3])); // ok: command-injection
