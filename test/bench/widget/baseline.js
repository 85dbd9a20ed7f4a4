/** The floor: reads the same events as the widget does, and shows ready-made HTML once, at the end. */
document.querySelector('#launcher').addEventListener('click', () => {
  const panel = document.createElement('div');
  panel.id = 'panel';
  panel.innerHTML = '<div id="list"></div><textarea id="composer"></textarea>';
  document.body.append(panel);
  const list = panel.querySelector('#list');
  const composer = panel.querySelector('#composer');
  composer.focus();
  composer.addEventListener('keydown', async (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    composer.value = '';
    const body = document.createElement('div');
    body.className = 'body';
    list.append(body);
    const response = await fetch('/bench/conversations/c/turns/t?html', { method: 'PUT', body: '{}' });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const data = JSON.parse(rest.slice(rest.indexOf('data: ') + 6, end));
        rest = rest.slice(end + 2);
        if (data.html === undefined) text += data.text ?? '';
        else body.innerHTML = data.html;
      }
    }
    list.scrollTop = list.scrollHeight;
    if (text === '') throw new Error('nothing was streamed');
  });
});
