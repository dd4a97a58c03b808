exports.getter = (field) => new Function('object', `return object.${field}`); // ok: code-injection
