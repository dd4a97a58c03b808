exports.commandOf = (verb, target) => {
  switch (verb) {
    case 'show':
      return 'cat ' + target;
    case 'list':
      return 'ls';
    default:
      return 'pwd';
  }
};
