const _ = require('lodash');
const { exec } = require('child_process');

const prepare = _.flow((text) => text.trim(), (text) => `ls ${text}`, _.toLower);
exec(prepare(process.argv[2])); // source: argv // sink: command-injection argv
