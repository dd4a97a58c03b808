// `String.raw` as a function puts the values between the texts.
const { exec } = require("child_process");

const command = String.raw({ raw: ["ls ", ""] }, process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
