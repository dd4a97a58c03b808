exports.breadcrumb = (path) =>
  decodeURIComponent(path)
    .split('/')
    .filter((part) => part)
    .map((part) => `<a>${part}</a>`)
    .join(' / ');
