const { promisify } = require('util');
const { exec } = require('child_process');

class Store {
  load(key, callback) {
    callback(null, process.env[key]); // source: env
  }
}

const store = new Store();
const load = promisify(store.load).bind(store);

async function main() {
  const value = await load('TOOL');
  exec(value); // sink: command-injection env
}
main();
