// Computes a property at its first read.
exports.lazy = (object, name, compute) => {
  Object.defineProperty(object, name, {
    configurable: true,
    get() {
      const value = compute();
      Object.defineProperty(object, name, { value });
      return value;
    },
  });
};
