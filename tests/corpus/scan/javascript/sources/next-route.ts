async function forward(url: string) {
  return fetch(url); // sink: ssrf url
}

export async function POST(request: Request) {
  const { url } = await request.json(); // source: url
  return forward(url);
}
