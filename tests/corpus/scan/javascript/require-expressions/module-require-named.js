const { execSync } = module.require('child_process');

function run(command) {
  execSync(command); // sink: command-injection argv
}

run(process.argv[2]); // source: argv
