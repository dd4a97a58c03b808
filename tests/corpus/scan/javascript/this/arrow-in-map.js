const { exec } = require('child_process');
var self = this;
const object = { name: process.argv[2], go() { return [1].map(() => this.name); } }; // source: argv
exec(object.go()[0]); // sink: command-injection argv
