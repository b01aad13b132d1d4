import type { Schemas } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { classes } from '../ui/classes.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { summaryOf } from './version-summary.ts';

interface VersionRowProps {
  readonly item: Schemas['Version'];
  readonly slug: string;
  readonly isShown: boolean;
  readonly isPublished: boolean;
  readonly isNewest: boolean;
}

/** One version in the list: its number, its author, what it changed, and whether triggers run it. */
export function VersionRow({ item, slug, isShown, isPublished, isNewest }: VersionRowProps) {
  return (
    <li>
      <Link
        to="/w/$slug/versions"
        params={{ slug }}
        search={(before) => ({ ...before, version: item.version })}
        aria-current={isShown ? 'true' : undefined}
        className={classes(
          'flex flex-col gap-0.5 border-line border-b px-4 py-2.5 text-[13px] hover:bg-hover',
          isShown && 'bg-accent-soft',
        )}
      >
        <span className="flex items-center gap-2">
          <span className="font-medium">Version {item.version}</span>
          {isPublished && <Mark text="Published" />}
          {isNewest && <Mark text="Newest" />}
          <span className="ml-auto shrink-0 text-[12px] text-muted">
            <RelativeTime at={item.created_at} />
          </span>
        </span>
        <span className="truncate text-[12px] text-muted">
          {item.author ?? 'Millrace'} · {summaryOf(item)}
        </span>
        {typeof item.publication?.note === 'string' && <span className="truncate">{item.publication.note}</span>}
      </Link>
    </li>
  );
}

function Mark({ text }: { readonly text: string }) {
  return <span className="rounded-full border border-line bg-surface px-1.5 text-[11px]">{text}</span>;
}
