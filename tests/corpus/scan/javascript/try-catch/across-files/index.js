const { exec } = require('child_process');
const { parse } = require('./parse');

try {
  parse(process.argv[2]); // source: argv
} catch (error) {
  exec(`logger ${error.input}`); // sink: command-injection argv
}
