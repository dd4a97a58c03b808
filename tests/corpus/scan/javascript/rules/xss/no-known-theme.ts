import express, { type Request } from 'express';

const THEMES = ['light', 'dark'];

function themeOf(req: Request): string {
  const theme = String(req.query.theme);
  return THEMES.includes(theme) ? theme : 'light';
}

const page = (theme: string): string => `<body class="${theme}"></body>`;

express().get('/', (req, res) => {
  res.send(page(themeOf(req))); // ok: xss
});
