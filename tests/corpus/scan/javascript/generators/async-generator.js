const { exec } = require('child_process');
async function* lines() {
  for await (const chunk of process.stdin) yield String(chunk); // source: stdin
}
(async () => {
  for await (const line of lines()) exec(line); // sink: command-injection stdin
})();
