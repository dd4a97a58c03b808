const { execSync } = require('child_process');

function first(texts) {
  return texts.reduce((found) => found);
}
execSync(first(process.argv.slice(2))); // source: argv // sink: command-injection argv
