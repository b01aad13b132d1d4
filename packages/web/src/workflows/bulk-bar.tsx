import { Download, Tag, Trash2, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

interface BulkBarProps {
  readonly count: number;
  readonly isWorking: boolean;
  readonly onTag: (tag: string) => void;
  readonly onExport: () => void;
  readonly onDelete: () => void;
  readonly onClear: () => void;
}

/** The actions for the selected workflows. */
export function BulkBar({ count, isWorking, onTag, onExport, onDelete, onClear }: BulkBarProps) {
  const [isTagging, setTagging] = useState(false);
  return (
    <section
      aria-label="Selected workflows"
      className="sticky top-2 z-10 flex flex-wrap items-center gap-2 rounded-card border border-line bg-raised px-3 py-2 shadow-sm"
    >
      <span className="mr-2 font-medium text-[13px] tabular-nums" role="status">
        {count} selected
      </span>
      <Button icon={<Tag size={14} aria-hidden="true" />} disabled={isWorking} onClick={() => setTagging(true)}>
        Add tag
      </Button>
      <Button icon={<Download size={14} aria-hidden="true" />} disabled={isWorking} onClick={onExport}>
        Export
      </Button>
      <Button kind="danger" icon={<Trash2 size={14} aria-hidden="true" />} disabled={isWorking} onClick={onDelete}>
        Delete
      </Button>
      <Button kind="quiet" icon={<X size={14} aria-hidden="true" />} onClick={onClear}>
        Clear selection
      </Button>
      {isTagging && (
        <TagDialog
          count={count}
          onClose={() => setTagging(false)}
          onTag={(tag) => {
            setTagging(false);
            onTag(tag);
          }}
        />
      )}
    </section>
  );
}

interface TagDialogProps extends Pick<BulkBarProps, 'count' | 'onTag'> {
  readonly onClose: () => void;
}

function TagDialog({ count, onTag, onClose }: TagDialogProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const tag = String(new FormData(event.currentTarget).get('tag') ?? '').trim();
    if (tag !== '') onTag(tag);
  };
  return (
    <Dialog
      title={count === 1 ? 'Tag the workflow' : `Tag ${count} workflows`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="tag-workflows">
            Add tag
          </Button>
        </>
      }
    >
      <form id="tag-workflows" onSubmit={submit}>
        <TextField name="tag" label="Tag" required autoFocus autoComplete="off" />
      </form>
    </Dialog>
  );
}
