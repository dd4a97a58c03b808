const BASE = 'https://example.com';

export const linkTo = (section: string, page: string): string => `${BASE}/${section}/${encodeURIComponent(page)}`;
