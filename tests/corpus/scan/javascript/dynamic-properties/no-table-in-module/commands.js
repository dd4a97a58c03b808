const COMMANDS = {
  disk: ['df', '-h'],
  memory: ['free', '-m'],
};

exports.commandOf = (name) => {
  const words = COMMANDS[name];
  return words && words.join(' ');
};
