// A function stores to a field of its argument, which may be one of two objects.
const { exec } = require("child_process");

function rename(item, name) {
  item.name = name;
}

const first = { name: "ls" };
const second = { name: "ls" };
rename(Math.random() > 0.5 ? first : second, process.argv[2]); // source: argv
exec(second.name); // sink: command-injection argv
