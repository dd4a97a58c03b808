const TARGETS = new Map([['docs', '/docs'], ['home', '/']]);

exports.targetOf = (name) => TARGETS.get(name) || '/';
