const serialize = require('node-serialize');

const SAMPLE = '{"name":"x"}';

exports.sample = (count) => {
  const value = serialize.unserialize(SAMPLE); // ok: unsafe-deserialization
  return { ...value, count };
};
