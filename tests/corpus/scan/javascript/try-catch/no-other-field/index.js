const { exec } = require('child_process');
const { parse } = require('./parse');

try {
  parse(process.argv[2]);
} catch (error) {
  exec(error.command); // ok: command-injection
}
