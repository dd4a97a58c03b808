exports.filterOf = (query) => {
  const filter = { hidden: false };
  for (const name of ['kind', 'brand']) {
    if (query[name]) filter[name] = query[name];
  }
  return filter;
};
