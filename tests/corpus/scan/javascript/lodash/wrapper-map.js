const _ = require('lodash');
const { exec } = require('child_process');

const quote = (name) => `ls ${name}`;
const commands = _(process.argv.slice(2)).map(quote).value(); // source: argv
exec(commands[0]); // sink: command-injection argv
