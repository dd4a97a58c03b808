const { exec } = require('child_process');
const mixin = (Base) => class extends Base { run(command) { exec(command); } }; // sink: command-injection argv
class Tool extends mixin(Object) {}
new Tool().run(process.argv[2]); // source: argv
