const { exec } = require('child_process');

class InputError extends Error {
  constructor(message) {
    super('input: ' + message);
    this.name = 'InputError';
  }
}

try {
  throw new InputError(process.argv[2]); // source: argv
} catch (error) {
  exec(error.message); // sink: command-injection argv
}
