export const KEYS = { user: 'user', tool: 'tool' };

export const read = (store) => store[KEYS.tool];
