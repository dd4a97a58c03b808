export default (text: string): string => text.toLowerCase().replace(/\W+/g, '-');
