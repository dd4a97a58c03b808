const { exec } = require('child_process');

class Query {
  constructor(text) {
    this.text = text;
  }
  then(resolve) {
    resolve('ls ' + this.text);
  }
}

async function main() {
  const command = await new Query(process.argv[2]); // source: name
  exec(command); // sink: command-injection name
}

main();
