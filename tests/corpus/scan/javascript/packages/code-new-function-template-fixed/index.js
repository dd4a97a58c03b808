// scan: sources=library
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define([], factory);
  } else if (typeof module === 'object' && module.exports) {
    module.exports = factory();
  } else {
    root.tmpl = factory();
  }
}(this, function () {
  function compile(str) {
    var parts = str.split(/\{\{|\}\}/);
    return function (data) {
      return parts.map(function (part, i) { return i % 2 ? data[part] : part; }).join('');
    };
  }
  return {
    compile: compile,
    render: function (str, data) { return compile(str)(data); }
  };
}));
