class Panel extends HTMLElement {
  connectedCallback() {
    this.innerHTML = window.name; // source: name // sink: xss name
  }
}
customElements.define('my-panel', Panel);
