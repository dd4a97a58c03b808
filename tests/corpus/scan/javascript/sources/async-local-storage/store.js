const { AsyncLocalStorage } = require('async_hooks');
const fs = require('fs');

const store = new AsyncLocalStorage();

exports.store = store;
exports.profile = () => {
  const { user, kind } = store.getStore();
  fs.readFileSync('/data/kinds/' + kind); // ok: path-traversal
  return fs.readFileSync('/data/profiles/' + user); // sink: path-traversal user
};
