const { exec } = require('child_process');

const commands = {
  title: process.argv[2],
  *[Symbol.iterator]() {
    yield 'ls';
  },
};
for (const command of commands) exec(command); // ok: command-injection
