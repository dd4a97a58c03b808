const PAGES = { start: 'pages/start.md', help: 'pages/help.md' };

export const pageOf = (name) => (name === 'help' ? PAGES.help : PAGES.start);
