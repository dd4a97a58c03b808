export const flag = (name, value) => `${name.length > 1 ? '--' : '-'}${name} "${value}"`;
