const d3 = require('d3');

d3.select('#a')
  .append('p')
  .html(window.name); // source: name // sink: xss name
