// The function assigns another value than the tested one.
const { exec } = require("child_process");
const fs = require("fs");
function start(name, other) {
  if (!/^\w+$/.test(name)) return;
  fs.stat(".", (error) => {
    if (error) name = other;
    exec("ls " + name); // sink: command-injection a
  });
}
start("a", process.argv[2]); // source: a
