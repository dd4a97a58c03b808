const serialize = require('node-serialize');

exports.Sessions = class {
  constructor(codec = serialize) {
    this.codec = codec;
  }

  load(text) {
    const plain = Buffer.from(text, 'base64').toString('utf8');
    return this.codec.unserialize(plain); // sink: unsafe-deserialization cookie
  }
};
