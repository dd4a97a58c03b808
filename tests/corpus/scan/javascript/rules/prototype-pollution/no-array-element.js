// scan: sources=library
exports.mark = function mark(items, names) {
  items.forEach((item) => {
    for (const name of names) item[name] = true; // ok: prototype-pollution
  });
};
