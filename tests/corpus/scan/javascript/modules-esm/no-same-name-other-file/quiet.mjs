export const run = (text) => text.length;
