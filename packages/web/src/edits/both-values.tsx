interface BothValuesProps {
  /** What both values are values of. */
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** What is known about the other value. */
  readonly theirsTitle?: string | undefined;
}

/** A value that two people changed, so that one of them can choose. */
export function BothValues({ name, mine, theirs, theirsTitle = 'Theirs, saved now' }: BothValuesProps) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-[12px]">{name}</p>
      <dl className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
        <Value title="Mine" value={mine} />
        <Value title={theirsTitle} value={theirs} />
      </dl>
    </div>
  );
}

/** A value that cannot be stored any more, so that a person can copy it. */
export function OwnValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <dl>
      <Value title={name} value={value} />
    </dl>
  );
}

function Value({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <div className="min-w-0">
      <dt className="text-[12px] text-muted">{title}</dt>
      <dd className="max-h-32 overflow-auto max-sm:max-h-24 whitespace-pre-wrap break-words rounded-control border border-line bg-surface px-2 py-1 font-mono text-[12px]">
        {valueText(value)}
      </dd>
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
