import { show } from './show';

export default {
  data: () => ({ text: location.hash.slice(1), title: 'page' }), // source: hash
  mounted() {
    this.draw();
  },
  methods: {
    draw() {
      show(this.text);
    },
  },
};
