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
  var cache = {};
  function compile(str) { // source: a
    var source = "var out='';with(data){out+='" +
      str.replace(/[\r\t\n]/g, ' ')
        .split('{{').join("';out+=")
        .split('}}').join(";out+='") +
      "';}return out;";
    return cache[str] || (cache[str] = new Function('data', source)); // sink: code-injection a
  }
  return {
    compile: compile,
    render: function (str, data) { return compile(str)(data); }
  };
}));
