const { execSync } = require('child_process');

exports.printer = {
  print(text) {
    process.stdout.write(text);
  },
};

exports.shell = {
  print(text) {
    execSync(`wall ${text}`); // ok: command-injection
  },
};
