module.exports = class Settings {
  static get title() {
    return process.env.TITLE;
  }
  static get command() {
    return 'ls';
  }
};
