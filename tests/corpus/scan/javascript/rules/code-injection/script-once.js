const vm = require('vm');

const script = new vm.Script(process.argv[2]); // source: argv // sink: code-injection argv
script.runInNewContext({ value: process.argv[3] }); // ok: code-injection
