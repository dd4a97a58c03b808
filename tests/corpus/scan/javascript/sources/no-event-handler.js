const axios = require('axios');

const handler = (event) => axios.get(event.path); // ok: ssrf

document.addEventListener('click', handler);
