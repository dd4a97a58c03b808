const { ShellTask } = require('./shell-task');

const task = new ShellTask('backup');
task.setFolder(process.argv[2]); // source: argv
task.run();
