export const features = Object.freeze({ audit: true, legacy: false });
