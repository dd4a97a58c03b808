const { exec } = require('child_process');
const load = () => Promise.resolve({ data: { command: 'ls', title: process.argv[2] } });
(async () => {
  const { data: { command } } = await load();
  exec(command); // ok: command-injection
})();
