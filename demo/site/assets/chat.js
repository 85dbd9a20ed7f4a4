// Tells the chat who is signed in: on each page, and again after a sign-in or sign-out.

async function readToken() {
  const response = await fetch('/api/chat-token', { credentials: 'same-origin', cache: 'no-store' });
  return response.ok ? (await response.json()).token : undefined;
}

async function identify() {
  const boxes = document.querySelectorAll('porchlight-chat[bot-id]');
  if (boxes.length > 0) {
    await customElements.whenDefined('porchlight-chat');
    for (const box of boxes) box.chat.identify(readToken);
    return;
  }
  window.Porchlight ||= [];
  window.Porchlight.push(['identify', readToken]);
}

identify();
document.addEventListener('larkfield:identity', identify);
