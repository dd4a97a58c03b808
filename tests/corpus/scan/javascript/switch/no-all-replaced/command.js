exports.commandOf = (verb) => {
  switch (verb) {
    case 'show':
      return 'cat notes.txt';
    case 'list':
      return 'ls';
    default:
      return 'pwd';
  }
};
