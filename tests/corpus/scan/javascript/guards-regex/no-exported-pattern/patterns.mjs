export const PATTERNS = { name: /^[a-z0-9]+$/, line: /.*/ };
