class ParseError extends Error {
  constructor(input) {
    super('not a number');
    this.input = input;
  }
}

exports.parse = (text) => {
  if (Number.isNaN(Number(text))) throw new ParseError(text);
  return Number(text);
};
