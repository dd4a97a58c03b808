const { exec } = require('child_process');

function withInput(onInput, onDone) {
  onInput(process.argv[2]);
  onDone('ls');
}

withInput(
  (text) => text.length,
  (command) => {
    exec(command); // ok: command-injection
  },
);
