export default {
  data() {
    return { code: '2 + 2' };
  },
  methods: {
    run() {
      return eval(this.code); // ok: code-injection
    },
  },
};
