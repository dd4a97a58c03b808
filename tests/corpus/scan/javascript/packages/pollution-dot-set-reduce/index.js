// scan: sources=library
const setValue = (object, path, value) => { // source: a
  const parts = Array.isArray(path) ? path : path.split('.');
  parts.reduce((acc, part, index) => {
    if (index === parts.length - 1) {
      acc[part] = value; // sink: prototype-pollution a
    } else {
      acc[part] = acc[part] || {};
    }
    return acc[part];
  }, object);
  return object;
};

exports.set = setValue;
