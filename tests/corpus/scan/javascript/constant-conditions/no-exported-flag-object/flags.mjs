export const flags = { debug: false };
export default { debug: false };
