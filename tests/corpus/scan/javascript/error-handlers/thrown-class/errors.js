class NotFound extends Error {
  constructor(what) {
    super(`not found: ${what}`);
    this.status = 404;
  }
}

exports.NotFound = NotFound;
