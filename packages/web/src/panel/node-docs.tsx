import { lazy, Suspense } from 'react';
import type { NodeType } from '../api/node-types.ts';

const Markdown = lazy(async () => ({ default: (await import('../ui/markdown/markdown.tsx')).Markdown }));

/** The documentation of a node type, beside its form. */
export function NodeDocs({ type }: { readonly type: NodeType }) {
  return (
    <div className="flex flex-col gap-4 text-[13px]">
      <Suspense fallback={<p className="whitespace-pre-line">{type.description}</p>}>
        <Markdown text={joinedLines(type.description)} />
      </Suspense>
      <a href={`/docs/components/${type.component_type}/`} className="text-accent hover:underline">
        All keys, ports, errors and an example
      </a>
    </div>
  );
}

/** The text with its wrapped lines joined, because the renderer shows each line break. Code stays as it is. */
function joinedLines(text: string): string {
  return text
    .split(/(```[\s\S]*?```)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/([^\n])\n(?=[^\n\-*|#>\d])/g, '$1 ')))
    .join('');
}
