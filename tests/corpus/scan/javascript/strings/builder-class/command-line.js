module.exports = class CommandLine {
  constructor(program) {
    this.words = [program];
  }

  option(name, value) {
    return this.word(`${name}=${value}`);
  }

  word(word) {
    this.words.push(word);
    return this;
  }

  toString() {
    return this.words.join(' ');
  }
};
