const { exec } = require('child_process');

function load(text) {
  return new Promise((resolve) => {
    setTimeout(() => {
      const result = { inner: { command: text } };
      resolve(result);
    }, 10);
  });
}

load(process.argv[2]).then(({ inner }) => exec(inner.command)); // source: argv // sink: command-injection argv
