const { exec } = require('child_process');
const readline = require('readline');

async function main() {
  const lines = readline.createInterface({ input: process.stdin }); // source: stdin
  for await (const line of lines) {
    exec(line); // sink: command-injection stdin
  }
}
main();
