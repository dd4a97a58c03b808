exports.Service = class {
  constructor(unit) {
    this.unit = unit;
  }
};
