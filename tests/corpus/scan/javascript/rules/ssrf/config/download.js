const axios = require('axios');

exports.download = async (address) => {
  const answer = await axios({ method: 'get', url: address, timeout: 1000 }); // sink: ssrf body
  return answer.data;
};
