const axios = require('axios');

exports.call = (url) => axios.get(url); // sink: ssrf body
