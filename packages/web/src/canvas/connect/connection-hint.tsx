import { Panel, useConnection } from '@xyflow/react';
import { useContext } from 'react';
import { ConnectingContext } from './connecting.ts';
import { notConnected } from './connection-rules.ts';

/** Why the connection being drawn does not fit the port below it, or why the last action was not done. */
export function ConnectionHint({ rejection }: { readonly rejection: string | null }) {
  const connecting = useContext(ConnectingContext);
  const drawn = useConnection((connection) => {
    const { toHandle } = connection;
    if (!connection.inProgress || toHandle === null || connection.isValid !== false) return null;
    const { nodeId, id, type: kind } = toHandle;
    const fit = connecting.fitOf({ nodeId, port: id ?? '', kind });
    return typeof fit === 'object' ? fit.rejection : null;
  });
  const text = drawn === null ? rejection : notConnected(drawn);
  return (
    <Panel position="bottom-center">
      <div role="status" className="pointer-events-none">
        {text !== null && (
          <p className="max-w-[34rem] rounded-card border border-line bg-raised px-3 py-2 text-[13px] shadow-md">
            {text}
          </p>
        )}
      </div>
    </Panel>
  );
}
