const { execSync } = require('child_process');

const step = (state, word) => ({ last: word, previous: state.last });

function fold(words) {
  let state = { last: 'true', previous: 'true' };
  for (const word of words) {
    state = step(state, word);
  }
  return state.previous;
}

execSync(fold(process.argv.slice(2))); // source: argv // sink: command-injection argv
