exports.page = ({ title, body }) => `<html><title>${title}</title><body>${body}</body></html>`;
