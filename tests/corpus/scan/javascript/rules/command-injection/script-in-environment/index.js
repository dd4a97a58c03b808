const tasks = require('./tasks');

const [, , name, ...words] = process.argv; // source: argv
tasks[name in tasks ? name : 'help'](words);
