const { exec } = require('child_process');

let command = process.argv[2];
try {
  JSON.parse(command);
} catch {
  command = 'pwd';
} finally {
  command = 'ls';
}
exec(command); // ok: command-injection
