// A function that only reads a field does not copy it from one of its possible arguments to the other.
const { exec } = require("child_process");

function describe(item) {
  item.count = 1;
  return item.name.length;
}

const first = { name: process.argv[2], count: 0 };
const second = { name: "ls", count: 0 };
describe(Math.random() > 0.5 ? first : second);
exec(second.name);
