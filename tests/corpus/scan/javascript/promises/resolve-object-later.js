const { exec } = require('child_process');

const later = (callback) => setTimeout(callback, 10);

function load(text) {
  return new Promise((resolve) => {
    later(() => resolve({ command: text, size: text.length }));
  });
}

async function main() {
  const result = await load(process.argv[2]); // source: argv
  exec(result.command); // sink: command-injection argv
}
main();
