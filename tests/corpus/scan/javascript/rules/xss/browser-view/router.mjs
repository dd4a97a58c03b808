export class Router {
  #routes = {};

  add(name, show) {
    this.#routes[name] = show;
  }

  follow(hash) {
    const [name, ...parameters] = hash.slice(2).split('/').map(decodeURIComponent);
    const show = this.#routes[name];
    if (show) show(...parameters);
  }
}
