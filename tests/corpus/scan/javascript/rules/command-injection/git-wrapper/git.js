const { run } = require('./process');

const git = (words) => run(['git', ...words].join(' '));

exports.log = (branch, { limit }) => git(['log', `-n${limit}`, branch]);
exports.status = () => git(['status']);
