import { expect, it } from 'vitest';
import { markdownToHtml } from './markdown-html.ts';

it.each([
  ['Plain text. With (all) characters - that need! a backslash_elsewhere', null],
  ['a < b && c > "d"', 'a &lt; b &amp;&amp; c &gt; &quot;d&quot;'],
  ['**bold** and __bold__', '<b>bold</b> and <b>bold</b>'],
  ['*italic* and _italic_', '<i>italic</i> and <i>italic</i>'],
  ['~~gone~~', '<s>gone</s>'],
  ['**bold with `code`**', '<b>bold with <code>code</code></b>'],
  ['`a**b**<c>`', '<code>a**b**&lt;c&gt;</code>'],
  ['snake_case_name and 2 * 3 * 4', null],
  ['**open and *open', null],
  ['[a **link**](https://example.org/?a=1&b=2)', '<a href="https://example.org/?a=1&amp;b=2">a <b>link</b></a>'],
  ['[no link](javascript:alert(1))', null],
  ['## A **heading**', '<b>A heading</b>'],
  ['#hashtag', null],
  ['- one\n  * two\n1. three', '• one\n  • two\n1. three'],
  ['> one\n> *two*\nafter', '<blockquote>one\n<i>two</i></blockquote>\nafter'],
  ['```js\nif (a < b) **c**\n```\nafter', '<pre><code class="language-js">if (a &lt; b) **c**</code></pre>\nafter'],
  ['~~~\nnot closed', '<pre><code>not closed</code></pre>'],
])('writes %j as HTML', (markdown, html) => {
  expect(markdownToHtml(markdown)).toBe(html ?? markdown);
});

it('takes linear time', () => {
  for (const piece of ['**', '*a', '_a ', '[', '[a](https://a', '`', '~~a', '> ', '__a ']) {
    const start = performance.now();
    markdownToHtml(piece.repeat(20_000));
    expect(performance.now() - start).toBeLessThan(500);
  }
});
