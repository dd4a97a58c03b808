const { exec } = require('child_process');

const load = async (n) => ({ name: n, command: 'ls' });
(async () => {
  const list = await Promise.all(process.argv.slice(2).map((n) => load(n))); // source: argv
  for (const item of list) exec(item.command); // ok: command-injection
  for (const item of list) exec(item.name); // sink: command-injection argv
})();
