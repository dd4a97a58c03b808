const separate = (text: string): string => text.replace(/([a-z])([A-Z])/g, '$1_$2');

export const toVariable = (text: string): string => separate(text.trim()).toUpperCase().concat('_ENABLED');
