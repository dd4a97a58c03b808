const { spawnSync } = require('child_process');

function evaluate(text) {
  return spawnSync('node', ['-e', text]); // sink: code-injection argv
}

console.log(evaluate(process.argv[2]).stdout); // source: argv
spawnSync('python3', [process.argv[3], '--quiet']); // source: script // sink: code-injection script
