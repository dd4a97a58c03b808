const { scan } = require('./scan');
const { execSync } = require('child_process');

scan(process.argv.slice(2), { onFile: (file) => execSync(`file ${file}`) }); // source: argv // sink: command-injection argv
scan(['a.txt']);
