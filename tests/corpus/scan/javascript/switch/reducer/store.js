exports.createStore = (reducer) => {
  let state = { tool: 'git' };
  return {
    dispatch(action) {
      state = reducer(state, action);
    },
    getState: () => state,
  };
};
