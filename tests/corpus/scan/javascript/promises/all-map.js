const { exec } = require('child_process');

async function main() {
  const lines = await Promise.all(process.argv.slice(2).map(async (name) => 'cat ' + name)); // source: argv
  lines.forEach((line) => exec(line)); // sink: command-injection argv
}
main();
