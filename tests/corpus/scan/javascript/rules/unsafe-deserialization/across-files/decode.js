const serializer = require('node-serialize');

exports.decode = ({ payload }) => serializer.unserialize(payload); // sink: unsafe-deserialization body
