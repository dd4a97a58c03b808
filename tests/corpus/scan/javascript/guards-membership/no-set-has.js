const { exec } = require('child_process');

const ALLOWED = new Set(['ls', 'pwd']);
const command = process.argv[2];
if (!ALLOWED.has(command)) {
  throw new Error('not allowed');
}
exec(command); // ok: command-injection
