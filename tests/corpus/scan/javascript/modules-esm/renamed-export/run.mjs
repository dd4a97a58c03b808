import cp from 'child_process';

function run(command) {
  cp.execSync(command); // sink: command-injection argv
}

export { run as start };
