exports.makeTool = function makeTool(name, option) {
  const all = `${name} ${option}`;
  return {
    name: () => name,
    line() {
      return all;
    },
  };
};
