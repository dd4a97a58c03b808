const { exec } = require('child_process');

class InputError extends Error {
  constructor(message, input) {
    super(message);
    this.input = input;
  }
}

function check(text) {
  throw new InputError('bad', text);
}

try {
  check(process.argv[2]); // source: argv
} catch (error) {
  exec(error.input); // sink: command-injection argv
}
