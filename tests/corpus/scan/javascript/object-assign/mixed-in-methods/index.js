const { Service } = require('./service');
const runnable = require('./runnable');

Object.assign(Service.prototype, runnable);
new Service(process.argv[2]).start(); // source: argv
