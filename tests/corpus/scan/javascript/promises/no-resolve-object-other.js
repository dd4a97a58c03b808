const { exec } = require('child_process');

const later = (callback) => setTimeout(callback, 10);

function load(text) {
  return new Promise((resolve) => {
    later(() => resolve({ command: 'ls', name: text }));
  });
}

async function main() {
  const result = await load(process.argv[2]);
  exec(result.command); // ok: command-injection
}
main();
