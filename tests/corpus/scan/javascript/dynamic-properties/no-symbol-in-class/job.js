const kCommand = Symbol('command');
const kTitle = Symbol('title');

class Job {
  constructor(title) {
    this[kTitle] = title;
    this[kCommand] = 'make';
  }

  get title() {
    return this[kTitle];
  }
}

module.exports = { Job, kCommand };
