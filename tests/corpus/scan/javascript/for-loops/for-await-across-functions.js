const { exec } = require('child_process');

async function run(promises) {
  for await (const command of promises) exec(command); // sink: command-injection argv
}

run([Promise.resolve('ls'), Promise.resolve(process.argv[2])]); // source: argv
