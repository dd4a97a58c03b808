const Base = require('./base');

class Named extends Base {
  constructor(name) {
    super(name, 'ls');
  }
}

new Named(process.argv[2]).start();
