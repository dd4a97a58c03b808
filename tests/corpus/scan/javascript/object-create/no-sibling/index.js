const proto = require('./proto');

const one = Object.create(proto);
one.title = process.argv[2];
const two = Object.create(proto);
two.command = 'ls';
two.start();
