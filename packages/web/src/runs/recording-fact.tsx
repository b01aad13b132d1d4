import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { cassetteOf, type ExecutionDetail, execute } from '../api/executions.ts';
import { download } from '../values/download.ts';
import { recordedTest } from './recorded-test.ts';

const linkClasses = 'text-accent hover:underline disabled:text-muted disabled:no-underline';

/** What can be done with the recording of an execution: save it as a test, or run the draft with its answers. */
export function RecordingFact({ execution }: { readonly execution: ExecutionDetail }) {
  const { execution_id: id, workflow_slug: slug, trigger_node_id: trigger, trigger_payload: payload } = execution;
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: async () =>
      download(`${slug}.test.yaml`, recordedTest(execution, await cassetteOf(id)), 'application/yaml'),
  });
  const replay = useMutation({
    mutationFn: () => execute(slug, { payload, trigger, cassette: id }),
    onSuccess: ({ execution_id: next }) => navigate({ to: '/runs/$id', params: { id: next } }),
  });
  const error = save.error ?? replay.error;
  return (
    <span className="flex flex-wrap gap-x-3">
      <button
        type="button"
        className={linkClasses}
        title="Saves what was exchanged with the outside, as a test of the workflow"
        disabled={save.isPending}
        onClick={() => save.mutate()}
      >
        Download recording
      </button>
      <button
        type="button"
        className={linkClasses}
        title="Runs the draft with the recorded answers, without access to the outside"
        disabled={replay.isPending}
        onClick={() => replay.mutate()}
      >
        Run draft with recording
      </button>
      {error !== null && (
        <span role="alert" className="text-danger">
          {error.message}
        </span>
      )}
    </span>
  );
}
