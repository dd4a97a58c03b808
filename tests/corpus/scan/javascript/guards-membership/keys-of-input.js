// The keys of an untrusted object prove nothing about a value.
const { exec } = require("child_process");

const table = JSON.parse(process.argv[2]);
const name = process.argv[3]; // source: argv
if (Object.keys(table).includes(name)) {
  exec(name); // sink: command-injection argv
}
