// scan: sources=library
const traced = require('traced-function');
const { remove } = require('./remove');

const clean = traced(remove);

exports.clean = function () {
  clean('build');
};
