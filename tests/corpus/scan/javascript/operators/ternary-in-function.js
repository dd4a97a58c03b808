const { exec } = require('child_process');

const orDefault = (text) => (text ? text : 'ls');

exec(orDefault(process.argv[2])); // source: argv // sink: command-injection argv
