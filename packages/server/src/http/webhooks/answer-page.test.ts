import { expect, test } from 'vitest';
import { answeredPage, questionPage } from './answer-page.ts';

const asked = { confirmed: true, prompt: 'Ship it?', isOpen: true };

test('a question has one button, which sends a form back to where the page came from', () => {
  const page = questionPage(asked);
  expect(page).toContain('<p>Ship it?</p>');
  expect(page).toContain('<form method="post">');
  expect(page.match(/<button>.*<\/button>/g)).toEqual(['<button>Approve</button>']);
  expect(questionPage({ ...asked, confirmed: false })).toContain('<button>Decline</button>');
});

test('what people and workflows wrote is text, never a part of the page', () => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  const written = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;';
  expect(questionPage({ ...asked, prompt: hostile })).toContain(`<p>${written}</p>`);
  expect(answeredPage(hostile, hostile)).toContain(`<h1>${written}</h1>\n<p>${written}</p>`);
});

test('a question that is closed has no button; one that has not come up yet has', () => {
  expect(questionPage({ ...asked, isOpen: false })).not.toContain('<button>');
  expect(questionPage({ ...asked, prompt: null })).toContain('<button>Approve</button>');
});
