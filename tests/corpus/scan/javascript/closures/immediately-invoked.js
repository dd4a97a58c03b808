(function (cp, command) {
  cp.exec(command); // sink: command-injection argv
})(require('child_process'), process.argv[2]); // source: argv
