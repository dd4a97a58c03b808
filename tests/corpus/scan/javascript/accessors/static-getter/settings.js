module.exports = class Settings {
  static get command() {
    return process.env.COMMAND; // source: argv
  }
};
