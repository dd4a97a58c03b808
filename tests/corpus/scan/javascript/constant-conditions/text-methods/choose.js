exports.choose = (input) => {
  switch ('ABC'.charAt(1)) {
    case 'B':
      return input;
    default:
      return 'ls';
  }
};

exports.last = (input) => ('abc'.slice(1) === 'bc' && 'abc'[0] === 'a' ? input : 'ls');
