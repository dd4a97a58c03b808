// Every element was tested.
const { exec } = require("child_process");
const names = process.argv.slice(2);
for (let i = 0; i < names.length; i++) {
  if (!/^\w+$/.test(names[i])) throw new Error("bad name");
}
exec("ls " + names[0]);
