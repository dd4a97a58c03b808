const registry = require('./registry');
require('./commands');

const [, , verb, argument] = process.argv; // source: argv
registry.dispatch(verb, argument);
