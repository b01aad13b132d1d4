import { formatInstant, type Instant } from '@millrace/core';
import type { LinkedQuestion, QuestionState } from '../../services/executions/linked-question.ts';
import { escaped } from '../plumbing/html-text.ts';

/** The page loads only its style and the logo, runs no script, and submits its form to its own URL. */
export const answerPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The URL and the question are private.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** The page of a link to approve or decline: opening it decides nothing, only its button does. */
export function questionPage({ confirmed, workflow, prompt, state, now }: LinkedQuestion): string {
  const asked = prompt === null ? '' : `<p class="prompt">${escaped(prompt)}</p>\n`;
  if (state.kind !== 'open') {
    const { title, text } = closedTexts(state, now);
    return page({ title, workflow, body: `${asked}<p>${escaped(text)}</p>` });
  }
  const word = confirmed ? 'Approve' : 'Decline';
  const body = `${asked === '' ? '<p>The execution has not reached this question yet.</p>\n' : asked}<form method="post">
<label for="response">Comment (optional)</label>
<textarea id="response" name="response" rows="3" maxlength="10000"></textarea>
<button>${word}</button>
</form>
<p class="hint">${escaped(openHint(state.until))}</p>`;
  return page({ title: `${word}?`, workflow, body, kind: confirmed ? 'approve' : 'decline' });
}

/** The page after the button was pressed. */
export function answeredPage({ confirmed, workflow, prompt }: Omit<LinkedQuestion, 'state' | 'now'>): string {
  const asked = prompt === null ? '' : `<p class="prompt">${escaped(prompt)}</p>\n`;
  const body = `${asked}<p>Your answer has been stored. You can close this page.</p>`;
  return page({ title: confirmed ? '✓ Approved' : '✓ Declined', workflow, body });
}

/** The page for a request that has no question. */
export function problemPage(message: string): string {
  return page({ title: 'Nothing to answer', body: `<p>${escaped(message)}</p>` });
}

function openHint(until: Instant | null): string {
  const end = until === null ? 'until the question is answered' : `until ${timeText(until)}`;
  return `Nothing has been decided yet. This link works once, ${end}.`;
}

function closedTexts(
  state: Exclude<QuestionState, { kind: 'open' }>,
  now: Instant,
): { readonly title: string; readonly text: string } {
  switch (state.kind) {
    case 'answered': {
      const word = state.confirmed ? 'approved' : 'declined';
      const text = `It was answered at ${timeText(state.at)}. The first answer counts.`;
      return { title: `Already ${word} ${agoText(now - state.at)}`, text };
    }
    case 'answered_now':
      return { title: 'Already answered', text: 'The first answer counts.' };
    case 'timed_out': {
      const word = state.confirmed ? 'approved' : 'declined';
      const text = `Nobody answered by ${timeText(state.at)}, so the default answer was used: ${word}.`;
      return { title: 'This link has expired', text };
    }
    case 'expired':
      return { title: 'This link has expired', text: 'It can no longer answer this question.' };
    default:
      return {
        title: 'This question is closed',
        text: 'The execution has ended, or it continued without an answer to this question.',
      };
  }
}

/** A time that is the same for every reader: the page has no script that knows the reader's time zone. */
function timeText(at: Instant): string {
  return `${formatInstant(at).slice(0, 16).replace('T', ' ')} UTC`;
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

function agoText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ['second', 1];
  return seconds < 1 ? 'just now' : relative.format(-Math.floor(seconds / size), unit);
}

interface PageParts {
  readonly title: string;
  readonly workflow?: string;
  readonly body: string;
  /** Which answer its button gives. */
  readonly kind?: 'approve' | 'decline';
}

function page({ title, workflow, body, kind }: PageParts): string {
  const name = workflow === undefined ? '' : `<p class="workflow">${escaped(workflow)}</p>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/answer.css">
</head>
<body>
<main${kind === undefined ? '' : ` class="${kind}"`}>
<header><img src="/favicon.svg" alt="" width="22" height="22"> Millrace</header>
${name}<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}
