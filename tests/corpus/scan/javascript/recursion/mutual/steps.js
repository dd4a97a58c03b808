const { exec } = require('child_process');

function even(text, n) {
  if (n === 0) exec(text); // sink: command-injection argv
  else odd(text, n - 1);
}
function odd(text, n) {
  even(text, n - 1);
}

exports.even = even;
