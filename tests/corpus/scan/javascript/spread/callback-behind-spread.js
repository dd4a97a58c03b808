const { execSync } = require('child_process');

function visit(first, second, done) {
  done(first + second);
}

const parts = ['make ', process.argv[2]]; // source: argv
visit(...parts, (text) => execSync(text)); // sink: command-injection argv
