// scan: sources=library
var plugins = { json: require('./json'), text: require('./text') };

exports.load = function (name, opts) {
  if (!Object.prototype.hasOwnProperty.call(plugins, name)) throw new Error('no plugin ' + name);
  var Plugin = plugins[name];
  return new Plugin(opts);
};
