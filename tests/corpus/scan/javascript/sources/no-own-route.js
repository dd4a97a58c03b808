class Page {
  constructor() {
    this.$route = { query: { message: 'hello' } };
  }
  show(element) {
    element.innerHTML = '<p>' + this.$route.query.message; // ok: xss
  }
}

export default new Page();
