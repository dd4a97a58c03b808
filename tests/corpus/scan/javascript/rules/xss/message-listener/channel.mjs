export function connect(onMessage) {
  window.addEventListener('message', (event) => {
    const { kind, payload } = event.data; // source: message
    if (kind === 'status') onMessage(payload);
  });
}
