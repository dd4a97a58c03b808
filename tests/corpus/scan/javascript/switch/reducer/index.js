const { createStore } = require('./store');
const { execSync } = require('child_process');

const store = createStore((state, action) => {
  switch (action.type) {
    case 'tool/set':
      return { ...state, tool: action.payload };
    case 'tool/reset':
      return { ...state, tool: 'git' };
    default:
      return state;
  }
});

store.dispatch({ type: 'tool/set', payload: process.argv[2] }); // source: argv
execSync(`${store.getState().tool} --version`); // sink: command-injection argv
