export const layout = (title: string, content: string): string =>
  ['<!doctype html>', `<title>${title}</title>`, `<main>${content}</main>`].join('\n');
