const Base = require('./base');

class Listing extends Base {
  command() {
    return 'ls ' + process.argv[2]; // source: argv
  }
}

new Listing().start();
