// scan: sources=library
const isUnsafe = (key) => key === '__proto__' || key === 'constructor' || key === 'prototype';

const setValue = (object, path, value) => {
  const parts = Array.isArray(path) ? path : path.split('.');
  if (parts.some(isUnsafe)) {
    throw new Error('unsafe path');
  }
  parts.reduce((acc, part, index) => {
    if (index === parts.length - 1) {
      acc[part] = value;
    } else {
      acc[part] = acc[part] || {};
    }
    return acc[part];
  }, object);
  return object;
};

exports.set = setValue;
