// Every element was tested, by another function.
const { exec } = require("child_process");
function check(names) {
  names.forEach((name) => {
    if (!/^\w+$/.test(name)) throw new Error("bad name");
  });
}
const names = process.argv.slice(2);
check(names);
exec("ls " + names[0]);
