exports.choose = (input) => {
  switch ('ABC'.charAt(1)) {
    case 'A':
      return input;
    case 'B':
      return 'ls';
    default:
      return input;
  }
};

exports.first = (input) => ('production'.toUpperCase().startsWith('DEV') ? input : 'pwd');

exports.largest = (input) => {
  let command = 'id';
  if (Math.max(3, 'abcd'.length) < 4 || 'abc'.indexOf('z') >= 0) command = input;
  return command;
};
