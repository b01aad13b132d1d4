import { useQuery } from '@tanstack/react-query';
import { type NodeTools, nodeToolsQuery } from '../api/node-types.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface OfferedToolsProps {
  readonly slug: string;
  readonly nodeId: string;
}

/** The tools that the model of an agent gets from the node, listed on demand: an MCP server is asked for them. */
export function OfferedTools({ slug, nodeId }: OfferedToolsProps) {
  const { data, error, isFetching, refetch } = useQuery(nodeToolsQuery(slug, nodeId));
  return (
    <section aria-label="Tools" className="flex flex-col gap-1.5 border-line border-t pt-4">
      <h3 className="font-medium text-[13px]">Tools</h3>
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {data !== undefined && error === null && <ToolList tools={data} />}
      <Button onClick={() => void refetch()} disabled={isFetching}>
        {isFetching ? 'Asking…' : data === undefined ? 'List tools' : 'List again'}
      </Button>
    </section>
  );
}

function ToolList({ tools: { tools, digest, problem } }: { readonly tools: NodeTools }) {
  return (
    <>
      {problem !== null && (
        <Notice kind="error">
          {problem.message} ({problem.code})
        </Notice>
      )}
      {tools.length === 0 && problem === null && <p className="text-[12px] text-muted">There are no tools.</p>}
      <ul className="flex flex-col gap-2">
        {tools.map(({ name, description, effect }) => (
          <li key={name} className="text-[13px]">
            <span className="break-all font-mono text-[12px]">{name}</span>
            <span className="ml-1 text-[12px] text-muted">{effect}</span>
            <p className="line-clamp-3 text-[12px] text-muted">{description}</p>
          </li>
        ))}
      </ul>
      {digest !== null && (
        <p className="text-[12px] text-muted">
          Digest, for Pinned: <code className="select-all break-all">{digest}</code>
        </p>
      )}
    </>
  );
}
