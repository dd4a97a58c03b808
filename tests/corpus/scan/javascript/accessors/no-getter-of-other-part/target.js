exports.Target = class Target {
  constructor(label) {
    this._label = label;
    this._tool = null;
  }

  get label() {
    return this._label;
  }

  get tool() {
    return this._tool;
  }

  set tool(tool) {
    this._tool = tool;
  }
};
