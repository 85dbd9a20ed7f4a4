// Brings each chat of the gallery into its state, as a visitor would.

/** So long a chat is waited for, in ms. */
const mostMs = 20_000;

/** Comes true within the time, or never. */
async function until(look) {
  for (const since = Date.now(); Date.now() - since < mostMs; ) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function show(box) {
  const { question, list } = box.dataset;
  const root = await until(() => box.shadowRoot?.querySelector('[part~="composer"]') && box.shadowRoot);
  if (question) box.chat.send(question);
  if (root && list !== undefined) (await until(() => root.querySelector('[part~="header"] button')))?.click();
}

await customElements.whenDefined('porchlight-chat');
for (const box of document.querySelectorAll('porchlight-chat')) {
  // Those that are out of sight are wanted too.
  box.chat.open();
  show(box);
}
