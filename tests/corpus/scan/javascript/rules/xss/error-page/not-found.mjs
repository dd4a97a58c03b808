const page = (status, message) => `<h1>${status}</h1><p>${message}</p>`;

export function notFound(req, res) {
  const message = `There is no ${decodeURIComponent(req.path)}`; // source: path
  res.status(404).send(page(404, message)); // sink: xss path
}
