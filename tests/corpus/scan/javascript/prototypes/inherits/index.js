const util = require('util');
const Base = require('./base');

function Listing(directory) {
  Base.call(this, 'ls ' + directory);
}
util.inherits(Listing, Base);

new Listing(process.argv[2]).start(); // source: argv
