// A loop that only reports bad elements does not keep them out.
const { exec } = require("child_process");
const names = process.argv.slice(2); // source: a
for (const name of names) {
  if (!/^\w+$/.test(name)) console.error("bad name");
}
exec("ls " + names[0]); // sink: command-injection a
