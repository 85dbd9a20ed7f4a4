// The account page's sign-in form: asks the server who is signed in, signs in and signs out.

const panel = document.querySelector('#account');
const who = document.querySelector('#who');
const form = document.querySelector('#sign-in-form');
const signOut = document.querySelector('#sign-out');

async function request(path, init) {
  const response = await fetch(path, { credentials: 'same-origin', ...init });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response;
}

async function readMe() {
  return (await request('/api/me', { cache: 'no-store' })).json();
}

function show(me) {
  panel.dataset.state = me.signedIn ? 'signed-in' : 'signed-out';
  who.textContent = me.signedIn ? `You are signed in as ${me.name} (${me.email}).` : 'You are not signed in.';
  form.hidden = me.signedIn;
  signOut.hidden = !me.signedIn;
}

/** Runs one change of who is signed in, shows the outcome and tells the page. */
async function change(run) {
  const buttons = panel.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  try {
    await run();
    const me = await readMe();
    show(me);
    document.dispatchEvent(new CustomEvent('larkfield:identity', { detail: me }));
  } catch {
    who.textContent = 'That did not work. Check your connection and try again.';
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const email = new FormData(form).get('email');
  change(() =>
    request('/api/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email }),
    }),
  );
});

signOut.addEventListener('click', () => {
  change(() => request('/api/sign-out', { method: 'POST' }));
});

try {
  show(await readMe());
} catch {
  panel.dataset.state = 'unavailable';
  who.textContent = 'We cannot reach the account service. Reload the page to try again.';
}
