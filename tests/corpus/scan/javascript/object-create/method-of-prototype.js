const { exec } = require('child_process');
const proto = { run() { exec(this.command); } }; // sink: command-injection argv
const object = Object.create(proto);
object.command = process.argv[2]; // source: argv
object.run();
