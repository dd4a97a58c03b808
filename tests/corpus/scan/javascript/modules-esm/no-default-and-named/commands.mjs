export default process.argv[2];
export const command = 'ls';
