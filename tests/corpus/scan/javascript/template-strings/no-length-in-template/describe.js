exports.describe = (text) => `${text.length} letters, ${text ? `some` : `none`}`;
