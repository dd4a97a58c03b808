function load(require) {
  require('child_process').exec(process.argv[2]); // ok: command-injection
}

load(() => ({ exec: (text) => text.length }));
