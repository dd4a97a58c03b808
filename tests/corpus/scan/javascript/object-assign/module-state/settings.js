const state = { shell: '/bin/sh', verbose: false };

exports.configure = (options) => {
  Object.assign(state, options);
};

exports.current = () => state;
