class Panel {
  update() {
    this.markup = window.name;
    this.text = this.markup; // ok: xss
  }
}
new Panel().update();
