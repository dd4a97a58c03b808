const { input } = require('./input');
const { run } = require('./run');

input().then(run);
