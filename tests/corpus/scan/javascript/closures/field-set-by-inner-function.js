const { execSync } = require('child_process');

function createTask(text) {
  const task = { title: 'task' };
  function configure(line) {
    task.line = line;
  }
  configure(text.trim());
  return task;
}

function run(task) {
  execSync(task.line); // sink: command-injection argv
}

run(createTask(process.argv[2])); // source: argv
