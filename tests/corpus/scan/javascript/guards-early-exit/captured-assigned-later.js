// The test is of a value that the variable does not have any more when the function runs.
const { exec } = require("child_process");
function start(first, second) {
  let name = first;
  if (!/^\w+$/.test(name)) return;
  setTimeout(() => exec("ls " + name), 10); // sink: command-injection a
  name = second;
}
start("a", process.argv[2]); // source: a
