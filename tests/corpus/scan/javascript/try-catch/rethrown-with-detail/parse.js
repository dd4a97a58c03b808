class ParseError extends Error {
  constructor(text) {
    super(`cannot parse ${text}`);
    this.name = 'ParseError';
  }
}

exports.parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ParseError(text);
  }
};
