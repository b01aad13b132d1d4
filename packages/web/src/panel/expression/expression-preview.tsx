import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type ExpressionResult, expressionQuery } from '../../api/expressions.ts';
import { useIsReadOnly } from '../../state/use-is-read-only.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

/** A preview follows the text after a pause of typing. */
const pauseMs = 200;

interface ExpressionPreviewProps {
  readonly slug: string;
  readonly nodeId: string;
  readonly text: string;
  readonly isBare: boolean;
  readonly onResult: (result: ExpressionResult | null) => void;
}

/** What a text evaluates to with the data of the last execution, by the engine itself. */
export function ExpressionPreview({ slug, nodeId, text, isBare, onResult }: ExpressionPreviewProps) {
  const settled = useSettled(text);
  // An expression may read more than the graph that a reader sees.
  const isReadOnly = useIsReadOnly(slug);
  const { data, error } = useQuery({
    ...expressionQuery({ slug, nodeId, text: settled, isBare }),
    enabled: !isReadOnly,
  });
  useEffect(() => onResult(data ?? null), [data, onResult]);
  if (isReadOnly) return null;
  if (error !== null) return <p className="text-[12px] text-danger">{`No preview: ${error.message}`}</p>;
  if (data === undefined) return <p className="text-[12px] text-muted">Evaluating…</p>;
  return (
    <div role="status" className="overflow-hidden rounded-control border border-line bg-sunken text-[12px]">
      <Result result={data} />
      <p className="flex items-center gap-1 border-line border-t px-2 py-1 text-[11px] text-muted">
        {data.execution === null ? (
          'No run yet'
        ) : (
          <>
            {`Data of run ${data.execution.execution_id.slice(-6)}`}
            {data.execution.started_at !== null && (
              <>
                , <RelativeTime at={data.execution.started_at} />
              </>
            )}
          </>
        )}
        {data.type !== null && <span className="ml-auto rounded bg-hover px-1.5 text-ink">{data.type}</span>}
      </p>
    </div>
  );
}

function Result({ result }: { readonly result: ExpressionResult }) {
  const { status, value, error, is_truncated: isTruncated } = result;
  if (status === 'no_data')
    return <p className="px-2 py-1.5 text-muted">No data yet. Run the workflow once to see the value.</p>;
  if (error !== null) {
    const place =
      error.column === null ? '' : `${error.line === 1 ? '' : `Line ${error.line}, `}Column ${error.column}: `;
    return (
      <p className="flex gap-1.5 px-2 py-1.5 text-danger">
        <CircleAlert size={14} className="mt-px shrink-0" aria-hidden="true" />
        <span className="min-w-0 break-words">{`${place}${error.message}`}</span>
      </p>
    );
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <pre className="max-h-40 overflow-auto whitespace-pre-wrap break-words px-2 py-1.5 font-mono text-[12px] leading-4">
      {text === '' ? <span className="text-muted">empty text</span> : text}
      {isTruncated && '…'}
    </pre>
  );
}

/** The text after a pause of typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
