const actions = require('./actions');

function dispatch(name, text) {
  actions[name](text);
}

dispatch('run', process.argv[2]); // source: argv
