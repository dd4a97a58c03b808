const NAME = /^[\w-]{1,40}$/;

exports.nameOr = (text, otherwise) => (NAME.test(text) ? text : otherwise);
