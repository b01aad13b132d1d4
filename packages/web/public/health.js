// Shows on the front page whether the service works, and keeps asking while the page is open.

/** Often enough to notice a restart, seldom enough to cost nothing. */
const askEveryMs = 10_000;

const lamp = document.querySelector('#lamp');
const text = document.querySelector('#health');

async function ask() {
  try {
    const response = await fetch('/health/', {
      headers: { prefer: 'handling=strict' },
      signal: AbortSignal.timeout(askEveryMs / 2),
    });
    const { status, version, reason } = await response.json();
    show(status === 'ok', status === 'ok' ? `Running, version ${version}` : reason);
  } catch {
    show(false, 'The service does not answer');
  }
}

function show(isWell, words) {
  lamp.dataset.state = isWell ? 'ok' : 'broken';
  // Set only when it changes: a screen reader says every change.
  if (text.textContent !== words) text.textContent = words;
}

await ask();
setInterval(ask, askEveryMs);
