const vm = require('vm');

const code = process.argv[2]; // source: argv
vm.runInThisContext(code); // sink: code-injection argv
