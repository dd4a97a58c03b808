// Every character of the text is one of a list.
const { exec } = require("child_process");

const letters = ["a", "b", "c"];
const name = process.argv[2];
if ([...name].every((letter) => letters.includes(letter))) {
  exec(`ls ${name}`); // ok: command-injection
}
