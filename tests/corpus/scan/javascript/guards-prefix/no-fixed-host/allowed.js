exports.allowed = (url) => url.startsWith('https://api.example.com/');
