function show(element, text) {
  element.innerHTML = '<p>' + text; // sink: xss route
}

export default {
  mounted() {
    show(this.$el, this.$route.query.message); // source: route
  },
};
