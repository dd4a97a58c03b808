exports.configure = (config, text) => {
  config.title = text;
};
