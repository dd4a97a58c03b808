const UNITS = ['nginx', 'postgres'];

exports.assertKnown = (unit) => {
  if (UNITS.indexOf(unit) < 0) {
    throw Object.assign(new Error('unknown unit'), { status: 404 });
  }
};
