// scan: sources=library
define(['child_process'], function (cp) {
  return {
    run(command) { // source: parameter
      cp.exec(command); // sink: command-injection parameter
    },
  };
});
