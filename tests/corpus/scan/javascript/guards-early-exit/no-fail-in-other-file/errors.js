function fail(what) {
  if (what === 'name') {
    throw new TypeError('bad name');
  } else {
    throw new Error(`bad ${what}`);
  }
}

exports.fail = fail;
exports.die = function die(what) {
  console.error(what);
  fail(what);
};
