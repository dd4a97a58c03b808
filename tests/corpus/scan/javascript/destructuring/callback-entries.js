const { execSync } = require('child_process');

// tool KEY=VALUE...: sets each of the keys in the configuration of git.
function parse(words) {
  return words.map((word) => word.split('='));
}

function apply(pairs) {
  for (const [key, value] of pairs) {
    execSync(`git config ${key} "${value}"`); // sink: command-injection argv
  }
}

apply(parse(process.argv.slice(2))); // source: argv
