const _ = require('lodash');

exports.count = (words) => _.chain(words).compact().size().value();
