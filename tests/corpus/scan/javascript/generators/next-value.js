const { exec } = require('child_process');

function* numbers() {
  const text = process.argv[2]; // source: argv
  yield text;
}

exec(numbers().next().value); // sink: command-injection argv
