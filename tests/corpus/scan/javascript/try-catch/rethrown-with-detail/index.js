const { parse } = require('./parse');
const { execSync } = require('child_process');

try {
  parse(process.argv[2]); // source: argv
} catch (error) {
  execSync(`notify-send "${error.message}"`); // sink: command-injection argv
}
