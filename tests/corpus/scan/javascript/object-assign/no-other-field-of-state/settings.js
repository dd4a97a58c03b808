const state = { shell: '/bin/sh', label: '' };

exports.configure = (options) => {
  Object.assign(state, options);
};

exports.current = () => state;
