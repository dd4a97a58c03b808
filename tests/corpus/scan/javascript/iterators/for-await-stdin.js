const { exec } = require('child_process');

async function main() {
  let text = '';
  for await (const chunk of process.stdin) text += chunk; // source: stdin
  exec(text); // sink: command-injection stdin
}
main();
