// Sets the field only where it is missing.
exports.applyDefaults = (options) => {
  if (options.tool === undefined) options.tool = 'git';
  options.name = 'default';
};
