const _ = require('lodash');
const { exec } = require('child_process');

const choose = _.flow((text) => text.length, (size) => (size > 3 ? 'ls -l' : 'ls'));
exec(choose(process.argv[2])); // ok: command-injection
