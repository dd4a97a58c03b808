export const createClient = (base) => ({
  async item(id) {
    const answer = await fetch(`https://api.example.com/items/${encodeURIComponent(id)}`, { headers: { base } }); // ok: ssrf
    return answer.json();
  },
});
