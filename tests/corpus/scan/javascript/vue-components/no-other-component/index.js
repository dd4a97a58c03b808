import other from './other';

export default {
  components: { other },
  data() {
    return { code: '1 + 1' };
  },
  created() {
    this.code = this.$route.query.code;
  },
};
