/** Why a call failed. */
export function CallError({ text, code }: { readonly text: string; readonly code: string | null }) {
  return (
    <p className="whitespace-pre-wrap break-words rounded-control bg-danger-soft px-2 py-1 text-[13px]">
      {text} {code !== null && <code className="text-[12px] text-muted">{code}</code>}
    </p>
  );
}
