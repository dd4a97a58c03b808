// The later argument overwrites the field.
const { exec } = require("child_process");

const options = Object.assign({ command: process.argv[2] }, { command: "ls" });
exec(options.command); // ok: command-injection
