const { exec } = require('child_process');
const load = () => Promise.resolve({ data: { command: process.argv[2] } }); // source: argv
(async () => {
  const { data: { command } } = await load();
  exec(command); // sink: command-injection argv
})();
