const { exec } = require('child_process');

async function main() {
  const [command, title] = await Promise.all([Promise.resolve('ls'), Promise.resolve(process.argv[2])]);
  exec(command, { title }); // ok: command-injection
}
main();
