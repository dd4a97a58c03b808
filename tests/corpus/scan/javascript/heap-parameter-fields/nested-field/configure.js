exports.configure = (config, text) => {
  config.shell.command = text;
  config.shell.name = 'x';
};
