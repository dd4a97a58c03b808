const client = require('axios').create({ baseURL: 'https://api.example.com' });

exports.repository = (name) => client.get('/repositories/' + name); // ok: ssrf
