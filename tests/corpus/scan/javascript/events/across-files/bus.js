const { EventEmitter } = require('node:events');

module.exports = new EventEmitter();
