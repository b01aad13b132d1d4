import { CircleCheck } from 'lucide-react';
import { Notice } from '../ui/notice.tsx';
import { durationText } from '../ui/time.ts';
import type { TestResult } from './last-test.ts';

/** The result of a test: the latency, or the message of the provider. */
export function TestNotice({ result: { ok, message, latencyMs } }: { readonly result: TestResult }) {
  if (!ok) {
    return (
      <Notice kind="error">
        <strong className="font-medium">The test failed after {durationText(latencyMs)}.</strong>{' '}
        <span className="whitespace-pre-wrap">{message}</span>
      </Notice>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 rounded-control bg-success-soft px-3 py-2 text-[13px]">
      <CircleCheck size={16} className="shrink-0 text-success" aria-hidden="true" />
      The key works. The provider answered in {durationText(latencyMs)}.
    </p>
  );
}
