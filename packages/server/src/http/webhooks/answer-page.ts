import type { LinkedQuestion } from '../../services/executions/waits.ts';
import { escaped } from '../plumbing/html-text.ts';

/** The page loads nothing else and submits its form to its own URL. */
export const answerPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The URL and the question are private.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** The page of a link to approve or decline: opening it decides nothing, only its button does. */
export function questionPage({ confirmed, prompt, isOpen }: LinkedQuestion): string {
  if (!isOpen) return page('Nothing to answer', '<p>This question is closed, or the link has expired.</p>');
  const word = confirmed ? 'Approve' : 'Decline';
  const asked = prompt === null ? 'The execution has not reached this question yet.' : escaped(prompt);
  return page(
    `${word}?`,
    `<p>${asked}</p>
<form method="post">
<p><label>Comment <input name="response" maxlength="10000"></label></p>
<p><button>${word}</button></p>
</form>`,
  );
}

/** The page after the button was pressed, or if the answer came too late. */
export function answeredPage(title: string, text: string): string {
  return page(title, `<p>${escaped(text)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`;
}
