const { exec } = require('child_process');
const compose = (...functions) => (value) => functions.reduce((result, f) => f(result), value);
const trim = (text) => text.trim();
exec(compose(trim, (text) => 'ls ' + text)(process.argv[2])); // source: argv // sink: command-injection argv
