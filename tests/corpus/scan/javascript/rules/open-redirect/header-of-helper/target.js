exports.targetOf = (req) => new URL(req.url, 'http://localhost').searchParams.get('to') || '/'; // source: url
