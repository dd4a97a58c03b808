const { call } = require('./client');

exports.handler = async (event) => {
  const { callback } = JSON.parse(event.body); // source: body
  return call(callback);
};
