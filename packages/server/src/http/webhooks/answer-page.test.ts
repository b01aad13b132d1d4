import { expect, test } from 'vitest';
import { answeredPage, questionPage } from './answer-page.ts';

const asked = { confirmed: true, prompt: 'Ship it?', isOpen: true };

test('a question has one button, which submits a form to the URL of the page', () => {
  const page = questionPage(asked);
  expect(page).toContain('<p>Ship it?</p>');
  expect(page).toContain('<form method="post">');
  expect(page.match(/<button>.*<\/button>/g)).toEqual(['<button>Approve</button>']);
  expect(questionPage({ ...asked, confirmed: false })).toContain('<button>Decline</button>');
});

test('text from people and workflows is escaped', () => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  const written = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;';
  expect(questionPage({ ...asked, prompt: hostile })).toContain(`<p>${written}</p>`);
  expect(answeredPage(hostile, hostile)).toContain(`<h1>${written}</h1>\n<p>${written}</p>`);
});

test('a closed question has no button, but a future one has', () => {
  expect(questionPage({ ...asked, isOpen: false })).not.toContain('<button>');
  expect(questionPage({ ...asked, prompt: null })).toContain('<button>Approve</button>');
});
