const { exec } = require('child_process');

async function main() {
  const [folder, command] = await Promise.all([Promise.resolve('/tmp'), Promise.resolve(process.argv[2])]); // source: argv
  exec(command, { cwd: folder }); // sink: command-injection argv
}
main();
