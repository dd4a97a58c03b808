import Vue from 'vue';

new Vue({
  el: '#app',
  data: { text: '' },
  methods: {
    load() {
      this.text = decodeURIComponent(location.search); // source: search
      this.show();
    },
    show() {
      this.$el.innerHTML = this.text; // sink: xss search
    },
  },
});
