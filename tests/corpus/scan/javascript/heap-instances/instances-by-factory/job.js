exports.createJob = () => {
  const state = {};
  return {
    withTarget(target) {
      state.target = target;
      return this;
    },
    target() {
      return state.target;
    },
  };
};
