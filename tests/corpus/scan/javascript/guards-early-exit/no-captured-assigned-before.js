// The function runs with the tested value, and changes it to a constant only.
const { exec } = require("child_process");
const fs = require("fs");
function start(name) {
  name = name.trim();
  if (!/^\w+$/.test(name)) return;
  fs.stat(".", (error) => {
    if (error) name = "other";
    exec("ls " + name);
  });
}
start(process.argv[2]);
