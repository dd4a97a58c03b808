export class Settings {
  #shell = null;

  set(shell) {
    this.#shell = shell;
  }

  get() {
    return this.#shell;
  }
}
