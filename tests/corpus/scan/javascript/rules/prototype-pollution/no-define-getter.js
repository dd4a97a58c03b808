// scan: sources=library
exports.lazy = function lazy(target, group, name, load) {
  Object.defineProperty(target[group], name, { // ok: prototype-pollution
    get: function () {
      return load(name);
    },
  });
};
