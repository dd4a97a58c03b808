export const given = process.argv[2];
export const fixed = 'ls';
