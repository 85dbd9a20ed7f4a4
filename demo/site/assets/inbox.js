// The inbox page: sends what is written to the agent, and shows each e-mail as it comes.

const form = document.querySelector('#letter');
const sent = document.querySelector('#sent');
const list = document.querySelector('#mails');
const none = document.querySelector('#none');
const lookMs = 1000;
let newest = 0;

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function toItem({ at, from, to, subject, text }) {
  const item = document.createElement('li');
  const time = new Date(at).toLocaleTimeString();
  item.append(
    element('h2', '', subject),
    element('p', 'route', `${from} to ${to}, ${time}`),
    element('p', 'text', text),
  );
  return item;
}

async function look() {
  try {
    const response = await fetch('/api/inbox', { cache: 'no-store' });
    const { mails } = await response.json();
    const fresh = mails.filter(({ id }) => id > newest);
    list.prepend(...fresh.map(toItem));
    newest = mails[0]?.id ?? newest;
    none.hidden = newest > 0;
  } catch {
    // The server restarts; the next look tells.
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  sent.textContent = '';
  try {
    const response = await fetch('/api/inbox', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    sent.textContent = response.ok ? 'Sent.' : 'The agent did not take it.';
  } catch {
    sent.textContent = 'That did not work. Check your connection and try again.';
  } finally {
    button.disabled = false;
    await look();
  }
});

await look();
setInterval(look, lookMs);
