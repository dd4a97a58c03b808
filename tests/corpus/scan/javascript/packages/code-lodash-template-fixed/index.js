// scan: sources=library
module.exports = {
  compile(source, options = {}) {
    const tokens = source.split(/<%=|%>/g);
    return (locals) => tokens
      .map((token, i) => (i % 2 === 0 ? token : String(locals[token.trim()])))
      .join('');
  },
};
