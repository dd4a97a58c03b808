const axios = require('axios');

exports.Webhooks = class {
  constructor() {
    this.targets = [];
  }

  register(event, url) {
    this.targets.push({ event, url });
  }

  send(event, payload) {
    const targets = this.targets.filter((target) => target.event === event);
    return Promise.all(targets.map((target) => axios.post(target.url, payload))); // sink: ssrf url
  }
};
