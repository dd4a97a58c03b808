export const named = (title: string) => (target: object, name: string) => {
  title.concat(name);
};
