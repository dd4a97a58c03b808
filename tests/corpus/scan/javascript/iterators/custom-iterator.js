const { exec } = require('child_process');

const commands = {
  [Symbol.iterator]() {
    let done = false;
    return {
      next() {
        if (done) return { done: true, value: undefined };
        done = true;
        return { done: false, value: process.argv[2] }; // source: argv
      },
    };
  },
};

for (const command of commands) exec(command); // sink: command-injection argv
