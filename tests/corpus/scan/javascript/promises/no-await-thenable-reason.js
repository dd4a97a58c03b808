const { exec } = require('child_process');

class Query {
  constructor(text) {
    this.text = text;
  }
  then(resolve, reject) {
    if (this.text === '') reject(this.text);
    else resolve('ls');
  }
}

async function main() {
  exec(await new Query(process.argv[2])); // ok: command-injection
}

main();
