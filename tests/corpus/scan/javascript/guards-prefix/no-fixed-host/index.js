const axios = require('axios');
const { allowed } = require('./allowed');

const url = process.argv[2];
if (allowed(url)) axios.get(url); // ok: ssrf
