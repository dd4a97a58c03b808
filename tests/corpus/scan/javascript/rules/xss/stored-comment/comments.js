const list = [];

exports.add = (comment) => {
  list.push(comment);
};

exports.render = () => '<ol>' + list.map(({ author, text }) => `<li>${author}: ${text}</li>`).join('') + '</ol>';
