const { exec } = require('child_process');
const match = /(\w+)=(.*)/.exec(process.argv[2]); // source: argv
if (match) exec(match[2]); // sink: command-injection argv
const { groups } = process.argv[2].match(/(?<name>.*)/); // source: second
exec(groups.name); // sink: command-injection second
