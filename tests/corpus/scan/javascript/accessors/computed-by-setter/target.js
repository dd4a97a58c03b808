exports.Target = class Target {
  #parts = ['localhost', '22'];

  set address(text) {
    this.#parts = text.split(':');
  }

  get host() {
    return this.#parts[0];
  }
};
