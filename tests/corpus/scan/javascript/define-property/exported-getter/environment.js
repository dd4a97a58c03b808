exports.editor = process.env.EDITOR; // source: env
