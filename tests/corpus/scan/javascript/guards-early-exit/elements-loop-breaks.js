// A loop that ends at the first bad element has not looked at the others.
const { exec } = require("child_process");
const names = process.argv.slice(2); // source: a
for (const name of names) {
  if (!/^\w+$/.test(name)) break;
}
exec("ls " + names[0]); // sink: command-injection a
