const { exec } = require('child_process');

async function ok(v) { return v === 'ls' || v === 'pwd'; }
(async () => {
  const v = process.argv[2];
  if (await ok(v)) exec(v); // ok: command-injection
})();
