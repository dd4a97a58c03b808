exports.readBody = async function readBody(stream) {
  const chunks = [];
  for await (const chunk of stream) { // source: chunk
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
