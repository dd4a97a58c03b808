exports.fail = function fail(what, strict) {
  if (strict) throw new Error(`bad ${what}`);
  console.error(`bad ${what}`);
};
