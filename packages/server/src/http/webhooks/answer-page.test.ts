import { expect, test } from 'vitest';
import type { LinkedQuestion } from '../../services/executions/linked-question.ts';
import { answeredPage, problemPage, questionPage } from './answer-page.ts';

const now = Date.UTC(2026, 10, 23, 9, 40);
const until = Date.UTC(2026, 10, 25, 12);
const asked: LinkedQuestion = {
  confirmed: true,
  workflow: 'Releases',
  prompt: 'Ship it?',
  state: { kind: 'open', until },
  now,
};

test('a question has one button, which submits a form to the URL of the page, and says until when it works', () => {
  const page = questionPage(asked);
  expect(page).toContain('<p class="workflow">Releases</p>');
  expect(page).toContain('<p class="prompt">Ship it?</p>');
  expect(page).toContain('<form method="post">');
  expect(page).toContain('Nothing has been decided yet. This link works once, until 2026-11-25 12:00 UTC.');
  expect(page.match(/<button>.*<\/button>/g)).toEqual(['<button>Approve</button>']);
  expect(questionPage({ ...asked, confirmed: false })).toContain('<button>Decline</button>');
});

test('a question that is not asked yet can be answered, and has no time limit', () => {
  const page = questionPage({ ...asked, prompt: null, state: { kind: 'open', until: null } });
  expect(page).toContain('The execution has not reached this question yet.');
  expect(page).toContain('until the question is answered');
  expect(page).toContain('<button>Approve</button>');
});

test('text from people and workflows is escaped', () => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  const written = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;';
  const texts = { ...asked, prompt: hostile, workflow: hostile };
  for (const page of [questionPage(texts), answeredPage(texts)]) {
    expect(page).toContain(`<p class="prompt">${written}</p>`);
    expect(page).toContain(`<p class="workflow">${written}</p>`);
  }
  expect(problemPage(hostile)).toContain(`<p>${written}</p>`);
});

const closed: readonly (readonly [LinkedQuestion['state'], title: string, text: string])[] = [
  [
    { kind: 'answered', confirmed: true, at: now - 10_400 },
    'Already approved 10 seconds ago',
    'It was answered at 2026-11-23 09:39 UTC.',
  ],
  [{ kind: 'answered', confirmed: false, at: now - 200 }, 'Already declined just now', 'The first answer counts.'],
  [{ kind: 'answered', confirmed: false, at: now - 3 * 3_600_000 }, 'Already declined 3 hours ago', ''],
  [{ kind: 'answered_now' }, 'Already answered', 'The first answer counts.'],
  [
    { kind: 'timed_out', confirmed: false, at: now },
    'This link has expired',
    'Nobody answered by 2026-11-23 09:40 UTC, so the default answer was used: declined.',
  ],
  [{ kind: 'expired' }, 'This link has expired', 'It can no longer answer this question.'],
  [{ kind: 'over' }, 'This question is closed', 'The execution has ended'],
];

test.each(closed)('a closed question has no button and says why: %j', (state, title, text) => {
  const page = questionPage({ ...asked, state });
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toContain(text);
  expect(page).toContain('Ship it?');
  expect(page).not.toContain('<button>');
});
