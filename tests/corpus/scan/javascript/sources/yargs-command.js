const yargs = require('yargs');
const { execSync } = require('child_process');

function run(script) {
  execSync(`sh ${script}`); // sink: command-injection argv
}

yargs
  .command('run <script>', 'runs a script', (y) => y.positional('script', {}), (argv) => run(argv.script)) // source: argv
  .argv;
