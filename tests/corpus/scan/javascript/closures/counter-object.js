const { exec } = require('child_process');

function makeStore() {
  let value = '';
  return {
    set: (next) => {
      value = next;
    },
    get: () => value,
  };
}

const store = makeStore();
store.set(process.argv[2]); // source: argv
exec(store.get()); // sink: command-injection argv
