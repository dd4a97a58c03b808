exports.describe = function () {
  return `${this.name} --version`;
};
